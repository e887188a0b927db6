"""One small record of each format, written for these tests: a wish, a call, its result, a last word."""

from __future__ import annotations

from typing import Any

_CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
_CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "List."}]},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "bash", "content": "a b"},
    {"role": "assistant", "content": "Done."},
]
_CLAUDE: list[dict[str, Any]] = [
    {
        "type": "user",
        "uuid": "1",
        "parentUuid": None,
        "sessionId": "S",
        "timestamp": "2026-01-01T10:00:00Z",
        "version": "2.0",
        "isSidechain": False,
        "message": {"role": "user", "content": "List."},
    },
    {
        "type": "assistant",
        "uuid": "2",
        "parentUuid": "1",
        "sessionId": "S",
        "message": {
            "id": "m",
            "model": "mod",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}},
            ],
        },
    },
    {
        "type": "user",
        "uuid": "3",
        "parentUuid": "2",
        "sessionId": "S",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a b", "is_error": False}],
        },
        "toolUseResult": {"stdout": "a b", "interrupted": False},
    },
]
EXAMPLES: dict[str, tuple[str, Any]] = {
    "openai-chat": ("chat.json", _CHAT),
    "claude-code": ("session.jsonl", _CLAUDE),
    "tau-bench": (
        "mod-airline.json",
        [{"task_id": 1, "trial": 0, "reward": 1.0, "info": {"source": "user"}, "traj": _CHAT}],
    ),
    "mini-swe-agent": (
        "run.traj.json",
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "instance_id": "r-1",
            "info": {
                "mini_version": "2",
                "exit_status": "Submitted",
                "submission": "",
                "config": {"model": {"model_name": "m"}},
            },
            "messages": [
                _CHAT[0],
                {"role": "assistant", "content": "look", "extra": {"actions": [{"command": "ls"}], "timestamp": 1.5}},
                {
                    "role": "user",
                    "content": "<returncode>0</returncode>",
                    "extra": {"raw_output": "a", "returncode": 0},
                },
                {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}},
            ],
        },
    ),
    "swe-agent": (
        "run.traj",
        {
            "trajectory": [
                {"action": "ls", "observation": "a b", "thought": "I look.", "state": "{}", "response": "r"}
            ],
            "history": [{"role": "user", "content": "List."}, {"role": "assistant", "content": "I look."}],
            "info": {"exit_status": "submitted", "model_stats": {}},
            "replay_config": {"agent": {"model": {"name": "m"}}},
        },
    ),
    "session-rows": (
        "rows.json",
        [
            {
                "instance_id": "i",
                "model_name": "m",
                "trajectory": [
                    {"role": "system", "system_prompt": "Act.", "text": None},
                    {"role": "ai", "text": "I look.\n```\nls\n```"},
                    {"role": "user", "text": "OBSERVATION:\na b"},
                ],
            }
        ],
    ),
    "openhands-events": (
        "events.json",
        [
            {"id": 1, "source": "user", "action": "message", "args": {"content": "List.", "image_urls": ["x"]}},
            {
                "id": 2,
                "source": "agent",
                "action": "run",
                "args": {"thought": "I look.", "command": "ls"},
                "tool_call_metadata": {"tool_call_id": "c", "model_response": {"id": "r", "model": "m"}},
            },
            {
                "id": 3,
                "cause": 2,
                "source": "agent",
                "observation": "run",
                "content": "a b",
                "extras": {"metadata": {"exit_code": 0}},
                "tool_call_metadata": {"tool_call_id": "c"},
            },
            {"id": 4, "source": "agent", "action": "finish", "args": {"final_thought": "Done.", "outputs": {}}},
        ],
    ),
    "codex-rollout": (
        "rollout.jsonl",
        [
            {"type": "session_meta", "payload": {"id": "s", "cli_version": "1"}},
            {"type": "turn_context", "payload": {"model": "m"}},
            {
                "type": "response_item",
                "timestamp": "2026-01-01T10:00:00Z",
                "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            },
            {
                "type": "response_item",
                "payload": {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
            },
            {
                "type": "response_item",
                "payload": {
                    "type": "function_call_output",
                    "call_id": "c",
                    "output": '{"output": "a", "metadata": {"exit_code": 0}}',
                },
            },
            {
                "type": "response_item",
                "payload": {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "Done."}],
                },
            },
        ],
    ),
    "codex-exec": (
        "exec.jsonl",
        [
            {"type": "thread.started", "thread_id": "t"},
            {"type": "item.started", "item": {"id": "i", "type": "command_execution", "command": "ls"}},
            {
                "type": "item.completed",
                "item": {
                    "id": "i",
                    "type": "command_execution",
                    "command": "ls",
                    "aggregated_output": "a",
                    "exit_code": 0,
                    "status": "completed",
                },
            },
            {"type": "item.completed", "item": {"id": "r", "type": "reasoning", "text": "hm"}},
            {"type": "item.completed", "item": {"id": "j", "type": "agent_message", "text": "Done."}},
            {"type": "turn.completed", "usage": {"input_tokens": 1}},
        ],
    ),
    "gemini-cli": (
        "gemini.json",
        {
            "sessionId": "s",
            "messages": [
                {"id": "1", "timestamp": "2026-01-01T10:00:00Z", "type": "user", "content": "List."},
                {
                    "type": "gemini",
                    "content": "I look.",
                    "thoughts": [{"subject": "a", "description": "b"}],
                    "model": "m",
                    "toolCalls": [
                        {
                            "id": "c",
                            "name": "shell",
                            "args": {"command": "ls"},
                            "status": "success",
                            "result": [{"functionResponse": {"response": {"output": "a b"}}}],
                        }
                    ],
                },
            ],
        },
    ),
    "anthropic-messages": (
        "request.json",
        {
            "system": "Act.",
            "model": "m",
            "messages": [
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "bash", "input": {"a": 1}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a b"}]},
            ],
        },
    ),
    "atif": (
        "trajectory.json",
        {
            "schema_version": "ATIF-v1.7",
            "session_id": "s",
            "agent": {"name": "a", "version": "1", "model_name": "m"},
            "steps": [
                {"step_id": 1, "source": "user", "message": "List."},
                {
                    "step_id": 2,
                    "source": "agent",
                    "message": [{"type": "text", "text": "I look."}],
                    "tool_calls": [{"tool_call_id": "c", "function_name": "bash", "arguments": {"k": "ls"}}],
                    "observation": {"results": [{"source_call_id": "c", "content": "a b"}]},
                },
                {
                    "source": "system",
                    "message": "Summarized.",
                    "observation": {"results": [{"subagent_trajectory_ref": [{"trajectory_id": "sub"}]}]},
                },
            ],
            "subagent_trajectories": [
                {"trajectory_id": "sub", "steps": [{"source": "agent", "message": "S"}]},
            ],
        },
    ),
    "inspect": (
        "inspect.json",
        {
            "version": 2,
            "eval": {"eval_id": "e", "task": "t", "model": "m", "packages": {"inspect_ai": "1"}},
            "samples": [
                {
                    "id": 1,
                    "epoch": 1,
                    "messages": [
                        {"role": "user", "content": "attachment://x"},
                        {
                            "role": "assistant",
                            "content": "",
                            "tool_calls": [{"id": "c", "function": "bash", "arguments": {"a": 1}, "parse_error": None}],
                        },
                        {
                            "role": "tool",
                            "tool_call_id": "c",
                            "function": "bash",
                            "content": "",
                            "error": {"type": "timeout", "message": "slow"},
                        },
                    ],
                    "attachments": {"x": "List."},
                    "events": [{"event": "model"}],
                    "scores": {"s": {"value": 1}},
                }
            ],
        },
    ),
}
