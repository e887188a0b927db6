"""The codebook's own text as paragraphs with run-in headings. Where a paragraph begins and what heads it, no more."""

from __future__ import annotations


def run_in(text: str) -> list[tuple[str, str]]:
    """Return a codebook's text as (run-in heading, rest) a paragraph; "" where a paragraph opens with no heading.

    A heading is an opening sentence of at most five words, more sentences following it, in any but the first paragraph.

    >>> run_in("What it is. More.\\n\\nMaterial part. A part is material if it counts.\\n\\nOne sentence alone.")
    [('', 'What it is. More.'), ('Material part.', 'A part is material if it counts.'), ('', 'One sentence alone.')]
    """
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]
    parts = []
    for place, paragraph in enumerate(paragraphs):
        heading, stop, rest = paragraph.partition(". ")
        is_heading = place > 0 and bool(stop) and len(heading.split()) <= 5
        parts.append((f"{heading}.", rest) if is_heading else ("", paragraph))
    return parts
