"""The same six answers as every annotation tool writes them: three claims, two raters, one question and its fellows.

Authored by hand after the tools' own writers. A and B agree on c1 and c2 and differ on c3.
"""

from __future__ import annotations

import json
from typing import Any

ANSWERS = {"1": ("backed", "backed"), "2": ("open", "open"), "3": ("backed", "open")}
RATERS = ("ann@example.org", "bo@example.org")
RUNS = {"1": "r1", "2": "r1", "3": "r2"}


def choice(question: str, *labels: str, **more: Any) -> dict[str, Any]:
    return {
        "id": "x1",
        "from_name": question,
        "to_name": "claim",
        "type": "choices",
        "value": {"choices": list(labels)} | more,
        "origin": "manual",
    }


def label_studio_tasks() -> list[dict[str, Any]]:
    tasks = []
    for unit, labels in ANSWERS.items():
        annotations = [
            {
                "id": 100 * int(unit) + place,
                "completed_by": {"id": place + 1, "email": rater, "first_name": ""},
                "result": [choice("verdict", label)],
                "was_cancelled": False,
                "ground_truth": False,
                "lead_time": 4.2,
            }
            for place, (rater, label) in enumerate(zip(RATERS, labels, strict=True))
        ]
        data = {"text": f"claim {unit}", "run": RUNS[unit], "claim_id": f"c{unit}"}
        tasks.append({"id": int(unit), "data": data, "annotations": annotations, "predictions": []})
    return tasks


def label_studio_min() -> list[dict[str, Any]]:
    return [
        {
            **task["data"],
            "id": task["id"],
            "verdict": annotation["result"][0]["value"]["choices"][0],
            "annotator": place + 1,
            "annotation_id": annotation["id"],
            "created_at": "2026-07-25T09:00:00Z",
            "updated_at": "2026-07-25T09:00:00Z",
            "lead_time": 4.2,
        }
        for task in label_studio_tasks()
        for place, annotation in enumerate(task["annotations"])
    ]


def label_studio_csv() -> str:
    lines = [
        '"annotation_id","annotator","created_at","id","lead_time","run","text","updated_at","verdict","was_cancelled"'
    ]
    for task in label_studio_tasks():
        for annotation in task["annotations"]:
            label = annotation["result"][0]["value"]["choices"][0]
            rater = annotation["completed_by"]["email"]
            lines.append(
                f'{annotation["id"]},"{rater}","2026",{task["id"]},4.2,"{task["data"]["run"]}",'
                f'"{task["data"]["text"]}","2026","{label}","False"'
            )
    return "\n".join(lines) + "\n"


def potato_lines(form: str = "label_annotations") -> str:
    lines = []
    for place, rater in enumerate(RATERS):
        for unit, labels in ANSWERS.items():
            line: dict[str, Any] = {"user_id": rater, "instance_id": unit, "displayed_text": "t", "run": RUNS[unit]}
            line[form] = {"verdict": {labels[place]: "true"}}
            line["span_annotations" if form == "label_annotations" else "spans"] = {}
            lines.append(json.dumps(line))
    return "\n".join(lines) + "\n"


def potato_folder_lines(place: int) -> str:
    """One user's file of the releases that wrote a folder a user and no user into the lines."""
    lines = [
        {
            "id": unit,
            "displayed_text": "t",
            "label_annotations": {"verdict": {labels[place]: "true"}},
            "span_annotations": {},
        }
        for unit, labels in ANSWERS.items()
    ]
    return "\n".join(json.dumps(line) for line in lines) + "\n"


def potato_table(mark: str = ":::", user: str = "user", separator: str = "\t") -> str:
    lines = [separator.join([user, "instance_id", "displayed_text", f"verdict{mark}backed", f"verdict{mark}open"])]
    for place, rater in enumerate(RATERS):
        for unit, labels in ANSWERS.items():
            ticks = ["true" if labels[place] == label else "" for label in ("backed", "open")]
            lines.append(separator.join([rater, unit, f"claim {unit}", *ticks]))
    return "\n".join(lines) + "\n"


def argilla_records() -> list[dict[str, Any]]:
    return [
        {
            "id": f"c{unit}",
            "fields": {"text": f"claim {unit}"},
            "metadata": {"run": RUNS[unit]},
            "suggestions": {"verdict": {"value": "open", "score": None, "agent": "a model"}},
            "responses": {
                "verdict": [{"value": label, "user_id": rater} for rater, label in zip(RATERS, labels, strict=True)]
            },
            "vectors": {},
            "_server_id": f"0000-{unit}",
        }
        for unit, labels in ANSWERS.items()
    ]


def argilla_flat() -> list[dict[str, Any]]:
    return [
        {
            "id": record["id"],
            "text": record["fields"]["text"],
            "run": record["metadata"]["run"],
            "verdict.responses": [one["value"] for one in record["responses"]["verdict"]],
            "verdict.responses.users": list(RATERS),
            "verdict.responses.status": ["submitted", "submitted"],
            "verdict.suggestion": "open",
        }
        for record in argilla_records()
    ]


def argilla_feedback() -> list[dict[str, Any]]:
    """The older feedback records, and what the server's own interface answers."""
    return [
        {
            "external_id": record["id"],
            "fields": record["fields"],
            "metadata": record["metadata"],
            "responses": [
                {"user_id": one["user_id"], "status": "submitted", "values": {"verdict": {"value": one["value"]}}}
                for one in record["responses"]["verdict"]
            ],
            "suggestions": [],
        }
        for record in argilla_records()
    ]


def argilla_hub() -> list[dict[str, Any]]:
    """The older hub form: a list of responses under the question's own name."""
    return [
        {
            "external_id": record["id"],
            "text": record["fields"]["text"],
            "run": record["metadata"]["run"],
            "verdict": [{**one, "status": "submitted"} for one in record["responses"]["verdict"]],
        }
        for record in argilla_records()
    ]


def doccano_lines(place: int) -> str:
    lines = [
        {"id": int(unit), "text": f"claim {unit}", "run": RUNS[unit], "label": [labels[place]]}
        for unit, labels in ANSWERS.items()
    ]
    return "\n".join(json.dumps(line) for line in lines) + "\n"


def doccano_with_users() -> str:
    lines = [
        {
            "id": int(unit),
            "text": f"claim {unit}",
            "annotations": [{"label": label, "user": place + 1} for place, label in enumerate(labels)],
            "meta": {},
            "annotation_approver": None,
        }
        for unit, labels in ANSWERS.items()
    ]
    return "\n".join(json.dumps(line) for line in lines) + "\n"
