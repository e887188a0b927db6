"""The house rules that a machine can see: sizes, names, no broad excepts, no inline script or style."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "app").rglob("*.py"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "base", "misc"}


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_no_file_outgrows_three_hundred_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, the docstring left out: words about a function are not its size."""
    first = node.body[0]
    prose = (first.end_lineno or first.lineno) - first.lineno + 1 if ast.get_docstring(node) else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - prose


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_no_function_outgrows_forty_lines(path: Path) -> None:
    long = {node.name: code_lines(node) for node in functions(path) if code_lines(node) > 40}
    assert not long


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_no_broad_except(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    broad = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}))
    ]
    assert not broad


def test_no_room_without_a_noun() -> None:
    assert not [relative(p) for p in SOURCES if p.stem in FORBIDDEN_NAMES or p.parent.name in FORBIDDEN_NAMES]


@pytest.mark.parametrize("path", [p for p in SOURCES if p.read_text(encoding="utf-8").strip()], ids=relative)
def test_every_module_says_what_it_is_responsible_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", TEMPLATES, ids=relative)
def test_no_inline_script_style_or_handler(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<script>|<style|style=\"|\son[a-z]+=\"", text)


def test_the_check_modules_import_nothing_they_check() -> None:
    """import-linter says it of `stats.check`; this says it of the words too, should a contract be loosened."""
    for path in sorted((ROOT / "app/domain/stats/check").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app."):
                assert node.module.startswith("app.domain.stats.check"), f"{path.name} imports {node.module}"
