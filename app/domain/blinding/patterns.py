"""Shapes that give an author, a provider or a person away whatever the study: ids, keys, addresses, trailers, versions.

Every expression runs in linear time (bounded repeats, anchored starts) on the folded text with its case kept. It does
not look at a match's value; what must not match is excluded inside the expression.
"""

from __future__ import annotations

from dataclasses import dataclass

_WALL = "\\ue000"  # see fold.WALL


@dataclass(frozen=True)
class Pattern:
    """One shape. `gates`: lower-case texts of which one must occur for the shape to occur (none: always tried)."""

    kind: str
    expression: str
    gates: tuple[str, ...] = ()


def _any_case(kind: str, expression: str, *gates: str) -> Pattern:
    return Pattern(kind, f"(?i:{expression})", gates)


_TIER = r"(?:opus|sonnet|haiku)"
_TIERS = ("opus", "sonnet", "haiku")
_NUMBERED = (
    *("baichuan", "codellama", "codestral", "deepseek", "devstral", "gemma", "internlm", "kimi", "llama", "magistral"),
    *("ministral", "mistral", "mixtral", "nemotron", "olmo", "pixtral", "qwen", "qwq", "starcoder", "vicuna"),
)
_SIZE_WORD = r"(?:v|r|k|coder|large|medium|small|chat|instruct)?"

MODEL_SHAPES = (
    _any_case("model", r"(?<![a-z0-9])gpt[-_ ]?\d(?:[\w.-]{0,40}\w)?", "gpt"),
    _any_case(
        "model",
        rf"(?<![a-z0-9])claude(?:[-_ ](?:instant|{_TIER}|latest|thinking|preview|v?\d+(?:[.-]\d+)*)(?![a-z]))+",
        "claude",
    ),
    _any_case("model", rf"(?<![a-z0-9]){_TIER}[-_ ]v?\d{{1,3}}(?:[.-]\d{{1,2}})?(?!\d)(?:[-@]20\d{{6}})?", *_TIERS),
    _any_case("model", rf"(?<![\w.])\d(?:[.-]\d)?[-_ ]{_TIER}(?![a-z])", *_TIERS),
    _any_case(
        "model",
        r"(?<![a-z0-9])gemini(?:[-_ ](?:pro|flash|lite|ultra|nano|exp|preview|thinking|\d+(?:[.-]\d+)*)(?![a-z]))+",
        "gemini",
    ),
    _any_case(
        "model",
        rf"(?<![a-z0-9])(?:{'|'.join(_NUMBERED)})[-_ :]?{_SIZE_WORD}[-_]?\d(?:[\w.:-]{{0,40}}\w)?",
        *_NUMBERED,
    ),
    _any_case(
        "model", r"(?<![\w-])(?:grok|glm|granite)-\d(?:\.\d)?(?:-[a-z]{2,10})?(?![\w.])", "grok-", "glm-", "granite-"
    ),
    _any_case("model", r"(?<![\w-])phi-\d(?:\.\d)?-(?:mini|small|medium|moe|vision)(?:[\w.-]{0,30}\w)?", "phi-"),
    _any_case("model", r"(?<![\w-])(?:yi|falcon)-\d{1,3}b(?:[\w.-]{0,30}\w)?", "yi-", "falcon-"),
    _any_case("model", r"(?<![\w-])command-(?:r|a|light|nightly)(?:-plus)?(?:-\d\d-20\d\d)?(?![\w-])", "command-"),
    _any_case("model", r"(?<![\w-])nova-(?:pro|lite|micro|premier|sonic)(?:-v\d)?(?![\w-])", "nova-"),
    _any_case(
        "model", r"(?<![\w-])o[1345]-(?:mini|preview|pro)(?:-20\d\d-\d\d-\d\d)?(?![\w-])", "-mini", "-preview", "-pro"
    ),
    _any_case("model", r"(?<![\w-])minimax-(?:m|text-)\d[\w.-]{0,20}", "minimax-"),
    # name-version-date, as in name-3-word-20240229 or name-4x-2024-08-06; a file name of that shape ends in a suffix
    Pattern(
        "model",
        r"(?<![\w/.-])[a-z]{2,20}(?:-[a-z]{2,20}){0,3}-v?\d{1,2}(?:[.-]\d{1,2})?[a-z]?(?:-[a-z]{2,12}){0,2}"
        r"[-@]20\d\d-?[01]\d-?[0-3]\d(?![\w]|[.-]\w)",
        ("-20", "@20"),
    ),
    # size shape, as in name-7b-instruct
    _any_case("model", r"(?<![\w/.-])[a-z][\w.]{1,30}-\d{1,3}(?:\.\d)?b-(?:instruct|chat|it|base|hf)(?!\w)", "b-"),
)
"""Model ids by their shape."""

SELF_INTRODUCTIONS = (
    Pattern(
        "vendor",
        r"(?i:\b(?:as|i am|i'm|i’m)(?: an?| the)? (?:[\w-]{1,20} ){0,4}?(?:ai|llm|assistant|language model|agent)\b"
        rf"[^.\n{_WALL}]{{0,40}}?\b(?:made|built|trained|developed|created) by (?:the )?)"
        r"(?P<hit>[A-Z][\w&]{1,30}(?: [A-Z][\w&]{1,30}){0,2})",
        (" by ",),
    ),
    _any_case(
        "time",
        rf"(?:knowledge|training)[ -](?:data )?cut-?off[^\n{_WALL}]{{0,30}}?"
        r"(?P<hit>(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6},? )?20\d\d)",
        "cutoff",
        "cut-off",
    ),
)
"""An author introducing itself."""

_RESERVED = r"(?:[\w-]{1,63}\.){0,6}(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|local)(?![\w.-])"
_AT_ROOT = r"(?:(?<![\w.~-])|(?<=\\[ntr]))"

PEOPLE = (
    _any_case(
        "person",
        r"(?:co-authored|signed-off|generated|assisted|reviewed)-by:[ \t]*"
        rf"(?P<hit>[^\n<>\"'`{_WALL}]{{1,80}}(?:<[^>\n{_WALL}]{{1,120}}>)?)",
        "-by:",
    ),
    Pattern(
        "person",
        rf"(?m:^|(?<={_WALL}))(?:Author|Commit|Committer|Tagger):[ \t]+"
        rf"(?P<hit>[^\n<{_WALL}]{{1,80}}<[^>\n{_WALL}]{{1,120}}>)",
        ("author:", "commit:", "committer:", "tagger:"),
    ),
    Pattern("person", r"(?<![\w-])[\w-]{1,40}\[bot\]", ("[bot]",)),
    Pattern("person", rf"{_AT_ROOT}/(?:home|Users)/(?P<hit>[A-Za-z_][\w.-]{{0,60}})(?=/)", ("/home/", "/users/")),
    # the home itself; not a page's address: route('/home/news'), href="/home/news", /home/index.html
    Pattern(
        "person",
        rf"{_AT_ROOT}(?<![(=][\"'`])/(?:home|Users)/(?![\w-]{{1,60}}\.(?:html?|php|md)\b)"
        r"(?P<hit>[A-Za-z_][\w.-]{0,60})(?![\w/])",
        ("/home/", "/users/"),
    ),
    Pattern("person", r"(?<!\w)-(?:home|Users)-(?P<hit>[A-Za-z_]\w{0,60})(?=-)", ("-home-", "-users-")),
    _any_case(
        "person",
        rf"[a-z]:[\\/]{{1,4}}users[\\/]{{1,4}}(?P<hit>[\w.][\w. -]{{0,59}}?)(?=[\\/\"'\n{_WALL}]|$)",
        "users",
    ),
    Pattern("host", r"(?<![\w.@-])(?!git@)(?P<hit>[a-z_][\w-]{0,31}@[A-Za-z][\w-]{0,63})(?=:[~/])", ("@",)),
    Pattern(
        "mail",
        rf"(?<![\w.+-])(?!git@)(?P<hit>[\w.+-]{{1,64}}@(?!{_RESERVED})"
        r"(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})(?![\w(-])",
        ("@",),
    ),
)
"""People, bots and machines by the places their names stand in."""

_PREFIXES = (
    *("asst", "call", "chatcmpl", "cmpl", "ctc", "fc", "msg", "req", "resp", "rs", "run", "srvtoolu", "thread"),
    *("tooluse", "toolu"),
)

PROVIDER_IDS = (
    Pattern(
        "id",
        rf"(?<![A-Za-z0-9])(?:{'|'.join(_PREFIXES)})[_-](?:bdrk_|vrtx_)?"
        r"(?=[A-Za-z]{0,40}\d)(?=\d{0,40}[A-Za-z])[A-Za-z0-9]{16,64}(?![A-Za-z0-9])",
        tuple(f"{prefix}{sign}" for prefix in _PREFIXES for sign in "_-"),
    ),
    Pattern(
        "id",
        r"(?<![A-Za-z0-9])(?:chatcmpl|cmpl|call|toolu)[_-][0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        ("cmpl-", "call", "toolu"),
    ),
    _any_case("id", r"request[-_]id[\"']?[ ]?[:=][ ]?[\"']?(?P<hit>[\w-]{8,80})", "request-id", "request_id"),
)
"""Ids whose prefix names the provider."""

SECRETS = (
    Pattern("key", r"(?<![\w-])sk-(?=[A-Za-z_-]{0,60}\d)[\w-]{16,200}", ("sk-",)),
    Pattern(
        "key", r"(?<!\w)(?:gh[pousr]|github_pat)_\w{20,255}", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")
    ),
    Pattern("key", r"(?<!\w)(?:glpat-[\w-]{16,80}|hf_[A-Za-z0-9]{20,80})", ("glpat-", "hf_")),
    Pattern("key", r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])", ("akia", "asia")),
    Pattern("key", r"(?<!\w)AIza[\w-]{30,45}", ("aiza",)),
    Pattern("key", r"(?<!\w)xox[abprs]-[\w-]{10,200}", ("xox",)),
    Pattern("key", r"(?<![\w-])eyJ[\w-]{10,4000}\.[\w-]{10,4000}(?:\.[\w-]{0,4000})?", ("eyj",)),
    _any_case(
        "key",
        r"authorization[\"']?[ ]?[:=][ ]?[\"']?(?:bearer|basic|token)[ ]+(?P<hit>[\w.~+/=-]{12,4000})",
        "authorization",
    ),
)
"""Tokens and keys."""

_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"

ADDRESSES = (
    Pattern(
        "host",
        r"(?<![\w.=-])(?<![^/]/)(?P<hit>(?!127\.|0\.0\.0\.0|255\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)"
        rf"{_OCTET}(?:\.{_OCTET}){{3}})(?![\w-]|\.\d)",
    ),
)
"""Internet addresses that are not documentation, loopback or wildcard ones."""

PATTERNS = (*MODEL_SHAPES, *SELF_INTRODUCTIONS, *PEOPLE, *PROVIDER_IDS, *SECRETS, *ADDRESSES)
