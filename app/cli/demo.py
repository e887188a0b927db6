"""`saydo demo`: the authored demo study, either served for a newcomer or walked through whole and checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.context import JsonFlag, runtime
from app.cli.edge import emit
from app.cli.serve import require_free

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
        emit(found, as_json, _told(folder, found))
        if not found["verified"]:
            raise typer.Exit(1)
        return
    if serve:
        require_free("127.0.0.1", port)
    links = open_demo(folder, settings, runtime().clock)
    emit({"links": links}, as_json, [f"{role:<14}{name:<7}{link}" for (name, role, link) in links])
    if serve:
        _serve(settings, port)


def _told(folder: Path, found: dict[str, Any]) -> list[str]:
    kappa = "undefined" if found["kappa"] is None else f"{found['kappa']:.3f}"
    verdict = "every number recomputed and equal" if found["verified"] else "NOT verified"
    return [
        f"{found['n_claims']} claims coded by {found['n_raters']} raters; Cohen's kappa {kappa}",
        f"verification: {verdict} ({found['checked']} checks, {len(found['mismatches'])} mismatches)",
        f"pooled table {folder / found['rater_pooled']}, report {folder / found['report']}",
        *(str(mismatch) for mismatch in found["mismatches"][:20]),
    ]


def _serve(settings: Settings, port: int) -> None:
    import uvicorn

    sys.stderr.write(f"Serving on http://127.0.0.1:{port}. Open a link above (each works once). Stop with Ctrl-C.\n")
    uvicorn.run(runtime().create_app(settings), host="127.0.0.1", port=port, log_level="warning", server_header=False)
