"""`saydo serve`: the web application on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.context import open_database, runtime


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=1, help="One process: SQLite has one writer.")] = 1,
) -> None:
    """Serve the workbench.

    Example: saydo serve --port 8123
    """
    import uvicorn

    open_database().close()
    uvicorn.run(runtime().create_app(), host=host, port=port, workers=workers, server_header=False, log_level="warning")
