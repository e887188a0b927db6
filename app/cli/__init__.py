"""The `saydo` command, assembled: one module a command group, and one place where errors become sentences."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from app.cli import (
    agreement,
    claims,
    codebook,
    codings,
    db,
    demo,
    export,
    log,
    packets,
    plan,
    reconcile,
    score,
    serve,
    study,
    user,
    verify,
)
from app.cli.context import Runtime, set_runtime
from app.cli.edge import tell
from app.cli.faults import known_faults, tell_fault
from app.domain.errors import SaydoError

GROUPS: dict[str, typer.Typer] = {
    "log": log.commands,
    "claims": claims.commands,
    "codebook": codebook.commands,
    "codings": codings.commands,
    "study": study.commands,
    "packets": packets.commands,
    "user": user.commands,
    "db": db.commands,
}
ALONE: dict[str, Callable[..., Any]] = {
    "agreement": agreement.agreement,
    "demo": demo.demo,
    "export": export.export,
    "plan": plan.plan,
    "reconcile": reconcile.reconcile,
    "score": score.score,
    "serve": serve.serve,
    "verify": verify.verify,
}


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"saydo {version('saydo')}\n")
        raise typer.Exit


def build_cli(create_app: Callable[..., Any], clock: Callable[[], datetime]) -> typer.Typer:
    """Return the command with every group; `create_app` serves and the demo drives it."""
    set_runtime(Runtime(create_app, clock))
    cli = typer.Typer(
        name="saydo",
        help="Code what an AI agent said against the log of what it did.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )

    @cli.callback()
    def root(
        _asked: Annotated[
            bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
        ] = False,
    ) -> None:
        """Take the options that stand before any command."""

    for name, group in GROUPS.items():
        cli.add_typer(group, name=name, no_args_is_help=True)
    for name, command in ALONE.items():
        cli.command(name)(command)
    return cli


def run(cli: typer.Typer) -> int:
    """Run the command and return its exit code: 0 done, 1 the work says no, 2 bad usage or bad input."""
    try:
        result = cli(standalone_mode=False)
    except SaydoError as error:
        result = tell(error)
    except TyperException as error:
        result = _tell_usage(error)
    except typer.Exit as done:
        result = done.exit_code
    except (typer.Abort, KeyboardInterrupt):
        result = 130
    except BrokenPipeError:
        # Whoever read the output has enough of it (`saydo … | head`). Nothing may be written at exit any more.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        result = 0
    except known_faults() as fault:
        told = tell_fault(fault)
        if told is None:
            raise
        result = told
    return result if isinstance(result, int) else 0


def _tell_usage(error: TyperException) -> int:
    shown = getattr(error, "format_message", lambda: str(error))()
    sys.stderr.write(f"{shown} (see --help)\n")
    return 2
