"""The channels a run can act through, and which channel a tool's name belongs to.

Responsible for names only: every harness calls the same thing differently. What a run records of a channel is said by
`coverage`.
"""

from __future__ import annotations

import re

CALLED = ("shell", "file_read", "file_write", "browser", "sub_agents")
SPOKEN = ("messages_to_user", "messages_from_user", "reasoning")
BEYOND = ("outside", "after_end")
CHANNELS = ("shell", "file_read", "file_write", "browser", *SPOKEN[:2], "sub_agents", "reasoning", *BEYOND)
NAMED_BY_LEAD = ("email",)  # never derived: a lead may say of it that the log holds nothing
LEVELS = ("full", "gapped", "none")
TOOL = "tool:"

_SEPARATORS = re.compile(r"[^a-z0-9]+")
_NAMES = {
    "shell": (
        "bash executebash shell localshell shellcall terminal runcommand runterminalcmd runinterminal execute exec "
        "execcommand run cmd command powershell python ipython runipython executeipythoncell jupyter codeinterpreter "
        "codeexecution runpython runcode executecode bashoutput killshell killbash writestdin commandexecution"
    ),
    "file_read": (
        "read readfile readmanyfiles readfiles view viewfile viewimage cat open openfile ls listdir listdirectory "
        "listfiles glob globfilesearch grep grepsearch ripgrep searchfile searchfiles searchfilecontent searchdir "
        "findfile filesearch codebasesearch notebookread scrolldown scrollup"
    ),
    "file_write": (
        "write writefile writetofile edit editfile multiedit strreplace searchreplace replace replaceinfile applypatch "
        "applydiff patch create createfile insert notebookedit deletefile movefile filechange savefile"
    ),
    "browser": (
        "browse browseinteractive browser browseraction webfetch websearch websearchcall fetch fetchurl urlopen visit "
        "openurl computer computeruse computercall screenshot navigate googlesearch"
    ),
    "sub_agents": "task agent delegate subagent spawnagent dispatchagent newtask handoff callagent",
    "messages_to_user": (
        "finish submit done complete askuser askuserquestion askfollowupquestion requestuserinput exitplanmode "
        "sendmessage messageuser respond reply attemptcompletion finalanswer report"
    ),
    "reasoning": "think todowrite todoread writetodos updateplan tasktracker tasktracking todo todolist enterplanmode",
}
_BOTH = ("strreplaceeditor", "strreplacebasededittool", "editor", "fileeditor", "texteditor")
_CHANNEL_OF: dict[str, tuple[str, ...]] = {
    name: (channel,) for channel, names in _NAMES.items() for name in names.split()
}
_CHANNEL_OF.update({name: ("file_read", "file_write") for name in _BOTH})


def channels_of(tool_name: str) -> tuple[str, ...]:
    """Return the channels a tool acts through: those it is known for, else its own `tool:<name>`.

    A server's prefix (`mcp__files__read_file`, `files.read_file`) does not count for what is known.

    >>> channels_of("Bash"), channels_of("str_replace_editor"), channels_of("cancel_order")
    (('shell',), ('file_read', 'file_write'), ('tool:cancel_order',))
    """
    bare = tool_name.rpartition("__")[2].rpartition(".")[2]
    known = _CHANNEL_OF.get(_SEPARATORS.sub("", bare.lower()))
    return known if known is not None else (TOOL + tool_name,)


def is_channel(name: str) -> bool:
    """Say whether `name` is the id of a channel: one of the fixed ones, one a lead may name, or `tool:<name>`."""
    return name in CHANNELS or name in NAMED_BY_LEAD or (name.startswith(TOOL) and len(name) > len(TOOL))
