"""The dictionary: names of model families, vendors, products and harnesses that give an author away in any study.

Only names that ordinary prose and code do not use for something else stand here as plain words; ambiguous ones (phi,
nova, cursor, grok) are in `patterns` with the shape that makes them a name. It does not know the study.
"""

from __future__ import annotations

FAMILIES = (
    "baichuan",
    "chatglm",
    "chatgpt",
    "claude",
    "codegemma",
    "codellama",
    "codestral",
    "dbrx",
    "deepseek",
    "devstral",
    "doubao",
    "gemini",
    "gemma",
    "gpt",
    "hunyuan",
    "internlm",
    "kimi",
    "llama",
    "magistral",
    "mistral",
    "mixtral",
    "nemotron",
    "ministral",
    "olmo",
    "pixtral",
    "qwen",
    "starcoder",
    "vicuna",
    "wizardcoder",
    "wizardlm",
)
"""Model families that are words of their own."""

TIERS = ("haiku", "opus", "sonnet")
"""Words inside model ids that name the model alone once the study uses it; ordinary words otherwise."""

VENDORS = (
    "ai21",
    "anthropic",
    "azure openai",
    "deepmind",
    "fireworks ai",
    "google ai studio",
    "groq",
    "meta ai",
    "mistral ai",
    "moonshot ai",
    "nebius",
    "openai",
    "openrouter",
    "stability ai",
    "together ai",
    "vertex ai",
    "zhipu",
    "zhipu ai",
)
"""Who makes or serves models."""

PRODUCTS = (
    "aider",
    "autogpt",
    "claude code",
    "cline",
    "codeium",
    "codex",
    "codex cli",
    "copilot",
    "cursor agent",
    "cursor ide",
    "cursorrules",
    "devin ai",
    "gemini cli",
    "github copilot",
    "litellm",
    "metagpt",
    "mini swe agent",
    "ollama",
    "opencode",
    "opendevin",
    "open hands",
    "qwen code",
    "replit agent",
    "roo code",
    "swe agent",
    "tabnine",
    "windsurf",
)
"""Products and harnesses; blanks stand for any of the separators a name is written with."""

HOSTS = (
    "aiplatform.googleapis.com",
    "api.ai21.com",
    "api.anthropic.com",
    "api.cohere.ai",
    "api.cohere.com",
    "api.deepseek.com",
    "api.fireworks.ai",
    "api.groq.com",
    "api.mistral.ai",
    "api.moonshot.cn",
    "api.openai.com",
    "api.together.ai",
    "api.together.xyz",
    "api.x.ai",
    "bedrock-runtime",
    "chatgpt.com",
    "claude.ai",
    "dashscope.aliyuncs.com",
    "generativelanguage.googleapis.com",
    "openai.azure.com",
    "openrouter.ai",
)
"""Addresses at which models answer."""

# Every log speaks of these things, so a value that is one of these words tells a rater nothing and hides everything.
_ORDINARY = """
agent agents alpha answer assistant base baseline bench beta chat code command config console control conversation
data dataset debug default demo dev developer docs environment error eval event events example examples false file
final first function guest harness help history home human index info input item items json last line list local
localhost log logs main master message messages meta model name none null off output owner parquet plan prod project
prompt public read record records repo report request response result results root row rows run runner runs sample
script search second server session sessions shell source start state status step steps stop support system task
tasks terminal test tests text time tool tools trace trajectory true turn turns undefined unknown user users value
version work worker workspace write
"""
ORDINARY = frozenset(_ORDINARY.split())
"""Single words that no study value is searched under; the custodian is told instead."""
