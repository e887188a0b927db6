"""The second implementation imports nothing of the first, and no code of this room brings pandas along by itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOM = Path(__file__).resolve().parents[3] / "app" / "domain" / "reconcile"


def test_the_second_implementation_imports_only_itself_and_numpy() -> None:
    for path in sorted((ROOM / "check").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                assert not name.startswith("app.") or name.startswith("app.domain.reconcile.check"), (path.name, name)
                assert name.split(".")[0] not in {"pandas", "pyarrow", "scipy"}, (path.name, name)


def test_pandas_is_imported_only_where_it_is_used() -> None:
    code = (
        "import sys; import app.cli.reconcile, app.services.reconcile.running, app.domain.reconcile.engine; "
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
