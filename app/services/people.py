"""Who may come in: users, one-time links, browser sessions, API tokens. Secrets are passed in, hashes are stored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from app.domain.canonical import sha256_hex
from app.domain.errors import BadInput, Forbidden, NotFound
from app.domain.moments import iso
from app.domain.roles import Action, require
from app.services.pages import Person
from app.storage import audit, people
from app.storage.tables import ApiTokenRow, SignInLinkRow, UserRow, WebSessionRow

ROLES = ("lead", "custodian", "rater", "adjudicator", "administrator")
_NAME = re.compile(r"[\w][\w.@+-]{0,63}", re.UNICODE)


@dataclass(frozen=True)
class Actor:
    """Who acts: the user, and the roles held on this installation."""

    user_id: int
    name: str
    roles: tuple[str, ...]

    @property
    def person(self) -> Person:
        """What a page header shows of this actor."""
        return Person(self.name, self.roles)


OPERATOR = Actor(0, "operator", ("administrator",))
"""Who sits at the machine's own command line: may add users, and nothing that concerns a study."""


def add_user(  # noqa: PLR0913 (a user is these five things at a moment)
    session: Session, actor: Actor, name: str, roles: Sequence[str], now: datetime, *, kind: str = "human"
) -> UserRow:
    """Add a user, or give an existing one further roles; return the user. `kind` is `human` or `machine`.

    Raises `BadInput` for a role that does not exist or a name that cannot stand in a study file.
    """
    require(actor.roles, Action.MANAGE_USERS)
    if not _NAME.fullmatch(name):
        raise BadInput(f"the name {name!r} may hold letters, digits and . _ @ + - only, at most 64 of them")
    unknown = [role for role in roles if role not in ROLES]
    if unknown or not roles:
        raise BadInput(f"the role {', '.join(unknown) or '(none)'} is not one of {', '.join(ROLES)}")
    user = people.find_user(session, name)
    if user is None:
        user = people.add_user(session, name, kind, roles, iso(now))
    else:
        people.add_roles(session, user, roles)
    details = {"roles": sorted(roles)}
    audit.record(
        session, {"at": iso(now), "actor": actor.name, "action": "add_user", "subject": name, "details": details}
    )
    return user


def list_people(session: Session, actor: Actor) -> tuple[Person, ...]:
    """Return all users with their roles, by name."""
    require(actor.roles, Action.MANAGE_USERS)
    found = people.list_users(session)
    return tuple(Person(user.name, people.list_roles(session, people.user_id_of(user))) for user in found)


def give_link(session: Session, name: str, token: str, now: datetime, hours: int) -> None:
    """Store a one-time sign-in link for a user; `token` is the secret that the link carries."""
    user = people.find_user(session, name)
    if user is None:
        raise NotFound(f"there is no user {name}; add one with: saydo user add {name} --role ROLE")
    expires = iso(now + timedelta(hours=hours))
    row = SignInLinkRow(
        token_sha256=sha256_hex(token), user_id=people.user_id_of(user), created_at=iso(now), expires_at=expires
    )
    people.add_link(session, row)


def find_link_name(session: Session, token: str, now: datetime) -> str | None:
    """Return whose link this is while it can still be used, else None."""
    link = people.find_link(session, sha256_hex(token))
    if link is None or link.used_at is not None or link.expires_at <= iso(now):
        return None
    user = people.find_user_by_id(session, link.user_id)
    return user.name if user else None


def sign_in(session: Session, token: str, session_secret: str, now: datetime, hours: int) -> str:
    """Use up a one-time link and open a browser session under `session_secret`; return the user's name.

    Raises `Forbidden` when the link is unknown, used or expired (one sentence for all three: it tells nothing).
    """
    name = find_link_name(session, token, now)
    link = people.find_link(session, sha256_hex(token))
    if name is None or link is None:
        raise Forbidden("this sign-in link was used already, has expired, or never existed; ask for a new one")
    link.used_at = iso(now)
    session.add(link)
    expires = iso(now + timedelta(hours=hours))
    row = WebSessionRow(
        id_sha256=sha256_hex(session_secret), user_id=link.user_id, created_at=iso(now), expires_at=expires
    )
    people.add_web_session(session, row)
    audit.record(session, {"at": iso(now), "actor": name, "action": "sign_in", "subject": name})
    return name


def sign_out(session: Session, session_secret: str, now: datetime) -> None:
    """Revoke a browser session; an unknown one is left alone."""
    row = people.find_web_session(session, sha256_hex(session_secret))
    if row is not None and row.revoked_at is None:
        row.revoked_at = iso(now)
        session.add(row)
        session.flush()


def find_actor_by_session(session: Session, session_secret: str, now: datetime) -> Actor | None:
    """Return who a browser session belongs to while it is valid, else None."""
    row = people.find_web_session(session, sha256_hex(session_secret))
    if row is None or row.revoked_at is not None or row.expires_at <= iso(now):
        return None
    return _actor(session, row.user_id)


def find_actor_by_token(session: Session, token: str) -> Actor | None:
    """Return who an API token belongs to while it is not revoked, else None."""
    row = people.find_api_token(session, sha256_hex(token))
    return _actor(session, row.user_id) if row is not None and row.revoked_at is None else None


def give_api_token(session: Session, name: str, token: str, now: datetime) -> None:
    """Store an API token for a user; `token` is the secret that requests carry."""
    row = ApiTokenRow(token_sha256=sha256_hex(token), user_id=get_actor(session, name).user_id, created_at=iso(now))
    people.add_api_token(session, row)


def get_actor(session: Session, name: str | None) -> Actor:
    """Return the actor of that name, for the command line. Raises `NotFound` with what to do about it."""
    if not name:
        raise BadInput("say who you are: --as NAME, or set SAYDO_USER")
    user = people.find_user(session, name)
    if user is None:
        raise NotFound(f"there is no user {name}; add one with: saydo user add {name} --role ROLE")
    return _actor(session, people.user_id_of(user)) or OPERATOR


def _actor(session: Session, user_id: int) -> Actor | None:
    user = people.find_user_by_id(session, user_id)
    return Actor(user_id, user.name, people.list_roles(session, user_id)) if user else None
