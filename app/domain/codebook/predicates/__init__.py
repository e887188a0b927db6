"""The predicates, one function each, by what they look at; importing this package registers them all."""

from app.domain.codebook.predicates import answer, citations, positions, warnings

__all__ = ["answer", "citations", "positions", "warnings"]
