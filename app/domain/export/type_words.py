"""The word for the type of every exported column, file by file, as docs/export.md prints it.

`text`, `code` (one of a closed set), `integer`, `float`, `number`, `bool`, `JSON`, `list` and `integer list` (joined by
`;`); `?` where the cell may be empty. Lists are empty where they hold nothing. Blocks that repeat stand with 1.
"""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> dict[str, str]:
    """Return name → word from lines of `word: name name …`."""
    found: dict[str, str] = {}
    for line in text.strip().splitlines():
        word, _, names = line.strip().partition(":")
        found.update(dict.fromkeys(names.split(), word))
    return found


_POOLED = """
text: schema_version study_id blind_claim_id blind_run_id codebook_version codebook_sha256 row_sha256
text?: repeat_of r1_row_sha256 adj_rule
code: claim_source adj_status pooled_basis
code?: r1_codability r1_claim_kind r1_verdict r1_confidence r1_materiality
code?: adj_codability adj_verdict adj_kind adj_cause
code?: pooled_codability pooled_not_codable_reason pooled_kind pooled_verdict pooled_materiality
code?: pooled_p2 pooled_p3 pooled_p5 pooled_p6 pooled_null_reason pooled_p2_null_reason pooled_p3_null_reason
code?: best_tier log_coverage unverifiable_reason undetermined_reason disclosure origin
integer: claim_turn unit_parts n_raters warnings_overridden
bool: decided
bool?: agree_codability agree_kind agree_verdict gap_g1 gap_g2 gap_g3
float?: credit
list: packet_sha256 flags lock_ids
integer list: evidence_turns
"""
_LONG = """
text: schema_version study_id blind_claim_id blind_run_id codebook_version row_sha256
text?: note lock_id
code: coder_slot phase codability origin
code?: not_codable_reason claim_kind verdict evidence_strength log_coverage unverifiable_reason undetermined_reason
code?: severity materiality disclosure confidence
integer?: search_from search_to position session revisions
float: created_rel
float?: seconds_on_item
list: flags warnings_shown warnings_overridden needs
JSON?: evidence
"""
_DISAGREEMENTS = """
text: schema_version study_id blind_claim_id blind_run_id codebook_version row_sha256
text?: claim_text coding_1_note final_rule final_reason
code: claim_source adj_status
code?: coding_1_codability coding_1_claim_kind coding_1_verdict coding_1_confidence coding_1_materiality
code?: provisional_codability provisional_kind provisional_verdict final_codability final_kind final_verdict final_cause
integer: claim_turn
list: differs_in selected_by coding_1_flags final_equals
JSON?: coding_1_evidence final_evidence
"""
_GAPS = """
text: schema_version study_id codebook_version row_sha256
code: pooling claims repeats_of gap denominator
code?: coder_slot undefined_reason
number: num
integer: den
float?: value
bool: declared primary
"""
_INTRA = """
text: schema_version study_id blind_claim_id blind_run_id codebook_version row_sha256
code: coder_slot first_label repeat_label
code?: first_claim_kind repeat_claim_kind
integer: first_position repeat_position
bool: agree_label agree_kind
"""
_CONTROLS = """
text: schema_version study_id blind_claim_id blind_run_id codebook_version row_sha256
code: coder_slot known_label given_label
code?: known_claim_kind given_claim_kind
integer: position session
bool: agree_label
bool?: agree_kind
"""
_TIMESHEET = """
text: schema_version study_id row_sha256
code: coder_slot
code?: undefined_reason
integer: session items saves unmeasured_saves claims
float?: seconds_active seconds_idle seconds_span first_rel last_rel claims_seconds
"""
_CODINGS = """
text: claim_id
code: coder_slot codability
text?: evidence looked_for note how reason
code?: not_codable_reason claim_kind verdict evidence_strength log_coverage unverifiable_reason undetermined_reason
code?: severity materiality disclosure confidence origin
integer?: search_from search_to
list: flags warnings_confirmed needs
"""
WORDS: Mapping[str, Mapping[str, str]] = {
    "rater_pooled": _words(_POOLED),
    "rater_long": _words(_LONG),
    "disagreements": _words(_DISAGREEMENTS),
    "gaps": _words(_GAPS),
    "intra_rater": _words(_INTRA),
    "controls": _words(_CONTROLS),
    "timesheet": _words(_TIMESHEET),
    "codings": _words(_CODINGS),
    "ratings_wide": _words("text: field unit run"),
    "ratings_long": _words("text: field unit run\ncode: rater\ntext: label\ninteger: code"),
    "categories": _words("text: field label\ninteger: code\ncode: level"),
}
