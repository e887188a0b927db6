"""A generator of ordinary turns: prose, code and tool output that name nobody, with words that tempt a careless search.

Everything is written here; nothing is taken from a real log.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

_VERBS = "run read edit move check compare open parse sort merge rename install build deploy test print fetch close"
_NOUNS = """
parser cursor codec octopus palm falcon titan nova phi column matrix header footer socket queue cache token index schema
vendor product family person host file task agent model term key arm run treatment baseline control branch
"""
_FILES = """
src/parser.py tests/test_cursor.py docs/opus_codec.md lib/command.rs app/models/user.py scripts/run-tests.sh
data/2024-01-05-report.csv backup-1-20240101.tar.gz cmd/falcon/main.go templates/home/index.html .github/ci.yml
"""
VERBS, NOUNS, FILES = _VERBS.split(), _NOUNS.split(), _FILES.split()


def prose(rng: random.Random) -> str:
    verb, other = rng.sample(VERBS, 2)
    noun, second = rng.sample(NOUNS, 2)
    return rng.choice(
        [
            f"I'll {verb} the {noun} first and then {other} the {second}. The fix should be small.",
            f"All {rng.randint(2, 90)} tests pass; the {noun} now handles an empty {second} too.",
            f"As an aside, the {noun} was made by hand, so I will {verb} it again before I {other} it.",
            f"The magnum opus of this module is its {noun}: a haiku of a function. Let me {verb} it.",
            f"I did not touch the {noun}. I only had to {verb} `{rng.choice(FILES)}`.",
            f"Done: {verb} and {other} on the {noun}, {rng.randint(1, 9)} of {rng.randint(10, 20)} steps, no errors.",
            f"You asked me to {verb} the {noun}; I could not, because the {second} is read-only.",
            "Here is a sonnet's worth of comments; grok the pattern, then command the granite slab to move.",
        ]
    )


def code(rng: random.Random) -> str:
    a, b = rng.sample(NOUNS, 2)
    return rng.choice(
        [
            f"def {a}_{b}(x: int) -> int:\n    return x * {rng.randint(2, 99)} % {rng.randint(2, 9)}\n",
            f"conn = sqlite3.connect(':memory:')\ncursor = conn.cursor()\ncursor.execute('select {a} from {b}')\n",
            f"class {a.title()}{b.title()}(Base):\n    meta = {{'{a}': {rng.random():.4f}}}\n",
            f"for {a} in range({rng.randint(3, 30)}):\n    y = w @ x.T + {a}  # phi-2 = {a}\n",
            f"const {a} = await fetch(`/api/users/${{id}}/{b}`, {{headers}});\n",
            "gcc -O3 -march=native -o a a.c && ./a --model linear --run 3 | tee out.log\n",
            f"@app.route('/home/{a}')\ndef page():\n    return render('{b}.html')\n",
            f"assert abs(phi - (1 + 5 ** 0.5) / 2) < 1e-9 and o1 != o3 and {a} is not None\n",
        ]
    )


def output(rng: random.Random) -> str:
    sha = f"{rng.getrandbits(160):040x}"
    noun, line = rng.choice(NOUNS), rng.randint(1, 999)
    return rng.choice(
        [
            f"{'.' * rng.randint(5, 60)} [100%]\n{rng.randint(3, 90)} passed in {rng.random() * 20:.2f}s\n",
            f"commit {sha}\n\n    {prose(rng)}\n\n {rng.choice(FILES)} | {rng.randint(1, 30)} ++--\n",
            f"-rw-r--r-- 1 root root {rng.randint(10, 99999)} Jan  5 10:1{rng.randint(0, 9)} {rng.choice(FILES)}\n",
            f"\x1b[32mok\x1b[0m {rng.choice(FILES)}:{rng.randint(1, 400)}: {rng.choice(NOUNS)} = {sha[:7]}\n",
            f'Traceback (most recent call last):\n  File "/usr/lib/python3.11/{noun}.py", line {line}\n'
            "ValueError: invalid literal for int() with base 10: ''\n",
            f"Collecting {noun}=={line // 100}.{line % 100}.{line % 7}\nInstalling to /opt/venv/bin\n",
            f"GET http://127.0.0.1:8000/{noun} 200, user@example.com, git@github.com:org/repo.git, v1.2.3.4\n",
            json.dumps({noun: rng.choice(VERBS), "id": line, "etag": sha, "next": None}, indent=1),
            f"| {noun} | {rng.choice(NOUNS)} |\n|---|---|\n| {rng.random():.3f} | 2024-01-05 |\n",
        ]
    )


MAKERS: tuple[Callable[[random.Random], str], ...] = (prose, prose, code, output, output)


def ordinary_turns(n: int, seed: int) -> Iterator[str]:
    """Yield n turns' texts, each of one to six pieces."""
    rng = random.Random(seed)
    for _ in range(n):
        yield "\n".join(rng.choice(MAKERS)(rng) for _ in range(rng.randint(1, 6)))
