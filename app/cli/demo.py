"""`saydo demo`: the authored demo study, either served for a newcomer or walked through whole and checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.context import JsonFlag, runtime
from app.cli.edge import emit

if TYPE_CHECKING:
    from app.config import Settings


def demo(
    folder: Annotated[Path, typer.Option("--dir", help="Where everything goes; made if absent.")],
    check: Annotated[
        bool, typer.Option("--check", help="Walk the whole job through and verify it, then stop.")
    ] = False,
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the study after setting it up.")] = True,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to serve on.")] = 8000,
    as_json: JsonFlag = False,
) -> None:
    """Set up the demo study and serve it, with one sign-in link a role; or, with --check, run the main job and verify.

    Example: saydo demo --dir var/demo --check
    """
    from app.cli.demo_study import check_demo, open_demo
    from app.config import Settings

    base = f"http://127.0.0.1:{port}"
    settings = Settings(
        database_url=f"sqlite:///{folder.resolve() / 'saydo.db'}", data_dir=folder.resolve() / "data", public_url=base
    )
    if check:
        found = check_demo(folder, settings, runtime().create_app)
        emit(found, as_json, [f"{name}: {value}" for name, value in found.items()])
        if not found["verified"]:
            raise typer.Exit(1)
        return
    links = open_demo(folder, settings, runtime().clock)
    emit({"links": links}, as_json, [f"{role:<14}{name:<7}{link}" for (name, role, link) in links])
    if serve:
        _serve(settings, port)


def _serve(settings: Settings, port: int) -> None:
    import uvicorn

    sys.stdout.write(
        f"Serving on http://127.0.0.1:{port}; open one of the links above, each works once. Stop: Ctrl-C.\n"
    )
    sys.stdout.flush()
    uvicorn.run(runtime().create_app(settings), host="127.0.0.1", port=port, log_level="warning", server_header=False)
