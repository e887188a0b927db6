"""`saydo user`: people, their roles, and how they come in."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from app.cli.context import JsonFlag, open_database, runtime, settings
from app.cli.edge import emit

commands = typer.Typer(help="Add people and give them links.")


@commands.command()
def add(
    name: Annotated[str, typer.Argument(help="The user's name, as study files write it.")],
    role: Annotated[list[str], typer.Option("--role", help="lead, custodian, rater, adjudicator or administrator.")],
    machine: Annotated[
        bool, typer.Option("--machine", help="A program that codes: never in human reliability.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Add a user (or a role to one) and print a one-time sign-in link.

    Example: saydo user add r.one --role rater
    """
    from app.services import people

    token, kind = secrets.token_urlsafe(24), "machine" if machine else "human"
    with open_database().writing() as session:
        people.add_user(session, people.OPERATOR, name, role, runtime().clock(), kind=kind)
        people.give_link(session, name, token, runtime().clock(), settings().link_hours)
    link = f"{settings().public_url.rstrip('/')}/signin/{token}"
    emit({"name": name, "roles": sorted(role), "link": link}, as_json, [link])


@commands.command()
def link(name: Annotated[str, typer.Argument(help="Whose link.")], as_json: JsonFlag = False) -> None:
    """Print a fresh one-time sign-in link.

    Example: saydo user link r.one
    """
    from app.services import people

    token = secrets.token_urlsafe(24)
    with open_database().writing() as session:
        people.give_link(session, name, token, runtime().clock(), settings().link_hours)
    url = f"{settings().public_url.rstrip('/')}/signin/{token}"
    emit({"name": name, "link": url}, as_json, [url])


@commands.command()
def token(name: Annotated[str, typer.Argument(help="Whose token.")], as_json: JsonFlag = False) -> None:
    """Print a bearer token for the JSON interface; it is shown once.

    Example: saydo user token r.one
    """
    from app.services import people

    secret = secrets.token_urlsafe(32)
    with open_database().writing() as session:
        people.give_api_token(session, name, secret, runtime().clock())
    emit({"name": name, "token": secret}, as_json, [secret])
