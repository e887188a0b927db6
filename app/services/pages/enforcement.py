"""The page of the rules enforced in a study."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.codebook.enforcement import Enforcement


@dataclass(frozen=True)
class RulesPage:
    """`/studies/{study_id}/rules`: every rule in force; with counts once every packet is locked (`are_counts_open`)."""

    study_id: str
    title: str
    codebook_version: str
    codebook_sha256: str
    are_counts_open: bool
    enforcement: Enforcement
