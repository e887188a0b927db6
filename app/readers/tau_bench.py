"""tau-bench result files: a JSON list of {task_id, trial, reward, info, traj}.

One session a task and trial, OpenAI chat inside. The model stands only in the file's name. The user is a language model
too; its words are role user all the same. Tool-call ids repeat inside sessions: linking is never by a plain look-up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.errors import BadInput
from app.readers.format import Format, Sessions, file_by_file, first_objects
from app.readers.pieces import int32_or_none
from app.readers.rows import message_turns, messages_of
from app.readers.session import Session
from app.readers.source import Source

_MODEL = re.compile(r"^(?P<model>.+?)-(?P<domain>airline|retail|telecom)\b")


def recognise(source: Source) -> str | None:
    """Return why the file is a tau-bench result file, or None."""
    if source.is_binary:
        return None
    objects = first_objects(source, 1)
    if objects and {"task_id", "traj", "reward"} <= objects[0].keys():
        return "its records have task_id, reward and traj"
    return None


def read(source: Source) -> Sessions:
    """Yield one session a record. Raises `BadInput` naming file and row for a record without messages."""
    named = _MODEL.match(source.stem)
    for n, record in source.records:
        where = f"{source.name} row {n}"
        if not isinstance(record, Mapping):
            raise BadInput(f"{where}: not an object with task_id and traj")
        trial, reward = record.get("trial"), record.get("reward")
        session = Session(
            session_id=f"task{record.get('task_id')}/trial{trial}",
            src_file=source.name,
            model=named["model"] if named else None,
            task_id=f"{named['domain'] if named else 'task'}-{record.get('task_id')}",
            repeat=int32_or_none(trial),
            agent="tau-bench",
            outcome={"reward": reward},
        )
        session.facts = {k: v for k, v in record.items() if k not in ("task_id", "traj", "trial", "reward")}
        for index, message in enumerate(messages_of(record, "traj", source, where)):
            session.add_turns(message_turns(message, f"{where}, column traj: message {index}"), index)
        yield session.turns()


FORMAT = Format(
    name="tau-bench",
    description="tau-bench results: a JSON list of {task_id, trial, reward, info, traj}",
    recognise=recognise,
    read=file_by_file(read),
)
