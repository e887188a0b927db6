"""What a study's blinding hides: the identity columns of its log, and the column its study file names as the arms."""

from __future__ import annotations

from app.domain.errors import BadInput
from app.domain.study import StudySpec
from app.readers.located_yaml import parse_yaml
from app.readers.turnlog_file import TurnLog


def identities_of(log: TurnLog, spec: StudySpec) -> dict[str, list[str]]:
    """Return identity column → distinct values, `arm` holding those of the study file's `arms_column` as well.

    Raises `BadInput` with the study file's line when the log has no such column: arms not found would not be hidden.
    """
    found = log.identities()
    name = spec.blinding.arms_column
    if name not in found:
        arms = log.values_of(name)
        if not arms:
            line = parse_yaml(spec.text.encode("utf-8"), "the study file").at(("blinding", "arms_column")).line
            raise BadInput(f"the study file line {line}: blinding.arms_column: the log has no value under {name}")
        found["arm"] = sorted({*found.get("arm", []), *arms})
    return found
