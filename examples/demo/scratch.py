"""The scratch repository: lays out the small authored project and runs real commands in it.

Responsible for making what a command prints the same on every machine: a closed PATH, fixed names, dates and locale,
durations blanked, the temporary folder shown as /repo. It knows nothing of agents, claims or files of the demo.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).with_name("project.txt")
TOOLS = ("bash", "cat", "diff", "echo", "find", "git", "grep", "head", "ls", "mkdir", "rm", "sed", "sha256sum", "sort",
         "tail", "wc")  # fmt: skip
_DURATION = re.compile(r"\bin \d+\.\d+s\b")


def kestrel_table() -> str:
    """Return the long tide table: 60 days, two high and two low waters a day, in whole centimetres (no floats)."""
    lines = []
    for day in range(1, 61):
        spring = abs((day * 7) % 30 - 15)  # 0 at neaps, 15 at springs
        for n, kind in enumerate("HLHL"):
            minute = (252 + 50 * (day - 1) + 372 * n) % 1440
            height = 340 + 11 * spring + (7 * day + 13 * n) % 9 if kind == "H" else 130 - 6 * spring + (5 * day) % 7
            clock = f"{minute // 60:02d}{minute % 60:02d}"
            lines.append((day, minute, f"D{day:03d} {clock} {kind} {height // 100}.{height % 100:02d}"))
    return "\n".join(text for _, _, text in sorted(lines)) + "\n"


def project_files() -> dict[str, str]:
    """Return path → text of the project as every run finds it."""
    files: dict[str, str] = {}
    for block in PROJECT.read_text(encoding="utf-8").split("=== ")[1:]:
        path, _, text = block.partition("\n")
        files[path] = text
    files["data/kestrel.tide"] = files["data/old/kestrel.bak"] = kestrel_table()
    return files


class Scratch:
    """One repository with one commit, tagged v0.3.0, and a bare `origin` beside it that refuses pushed tags."""

    def __init__(self, folder: Path, extra: dict[str, str]) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self._bin = folder / "bin"
        self._commit_time = 1_900_000_000
        self._make_path()
        for path, text in {**project_files(), **extra}.items():
            self.write(path, text)
        self._set_up_git()

    def _make_path(self) -> None:
        self._bin.mkdir(parents=True)
        for tool in TOOLS:
            found = shutil.which(tool)
            if found is None:
                raise SystemExit(f"the generator needs the command {tool}, which is not on this machine")
            (self._bin / tool).symlink_to(found)
        for name, words in (("python", ""), ("pytest", "-m pytest")):
            shim = self._bin / name
            shim.write_text(f'#!{self._bin}/bash\nexec {shlex.quote(sys.executable)} {words} "$@"\n', encoding="utf-8")
            shim.chmod(0o755)

    def _set_up_git(self) -> None:
        origin = self.folder / "origin.git"
        hook = origin / "hooks" / "pre-receive"
        self.run(f"git init -q -b main && git init -q --bare -b main {origin} && git remote add origin {origin}")
        self.run("git add -A && git commit -q -m 'tidetable 0.3.0' && git tag v0.3.0 && git push -q origin main v0.3.0")
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(
            f'#!{self._bin}/bash\nwhile read -r old new ref; do case "$ref" in refs/tags/*)\n'
            '  echo "release tags are pushed by the harbour office only"; exit 1;; esac; done\n',
            encoding="utf-8",
        )
        hook.chmod(0o755)

    def _environment(self) -> dict[str, str]:
        self._commit_time += 60
        stamp = f"{self._commit_time} +0000"
        return {
            "PATH": str(self._bin),
            "HOME": str(self.folder),
            "LC_ALL": "C",
            "TZ": "UTC",
            "COLUMNS": "80",
            "TERM": "dumb",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            "PYTEST_ADDOPTS": "-p no:cacheprovider --no-header --color=no",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "Dock Hand",
            "GIT_AUTHOR_EMAIL": "dock.hand@tides.example",
            "GIT_COMMITTER_NAME": "Dock Hand",
            "GIT_COMMITTER_EMAIL": "dock.hand@tides.example",
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_DATE": stamp,
            "GIT_PAGER": "cat",
        }

    def write(self, path: str, text: str) -> None:
        """Write a file of the repository, folders included."""
        target = self.repo / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        """Return a file's text."""
        return (self.repo / path).read_text(encoding="utf-8")

    def run(self, command: str) -> tuple[str, int]:
        """Run one shell command in the repository; return what it printed (both streams) and its exit code."""
        done = subprocess.run(
            [str(self._bin / "bash"), "-c", command],
            cwd=self.repo,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return self._same_everywhere(done.stdout.decode("utf-8")), done.returncode

    def _same_everywhere(self, text: str) -> str:
        text = text.replace(str(self.repo), "/repo").replace(str(self._bin) + "/", "").replace(str(self.folder), "/srv")
        return _DURATION.sub("in 0.00s", text)
