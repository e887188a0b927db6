"""`saydo serve`: the web application on this machine."""

from __future__ import annotations

import socket
import sys
from typing import Annotated

import typer

from app.cli.context import open_database, runtime
from app.domain.errors import Conflict


def require_free(host: str, port: int) -> None:
    """Raise `Conflict` when something else listens there, before anything is said or set up."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(found[0], socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(found[4])
    except OSError as error:
        raise Conflict(f"cannot listen on {host}:{port} ({error.strerror}); choose another with --port") from error


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=1, help="One process: SQLite has one writer.")] = 1,
) -> None:
    """Serve the workbench.

    Example: saydo serve --port 8123
    """
    import uvicorn

    require_free(host, port)
    open_database().close()
    sys.stderr.write(f"Serving on http://{host}:{port}. Stop with Ctrl-C.\n")
    uvicorn.run(runtime().create_app(), host=host, port=port, workers=workers, server_header=False, log_level="warning")
