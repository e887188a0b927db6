"""The lead makes a claim of a divergent cell with the mouse, in a page that holds to the accessibility rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.services.reconcile.running import Asked, reconcile
from tests.browser.conftest import Server, Visitor
from tests.browser.test_roles import assert_accessible
from tests.domain.reconcile.small import SPEC

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_divergent_cell_becomes_a_claim(
    visit: Callable[..., Visitor], study_id: str, server: Server, scheme: str
) -> None:
    out = Path(server.settings.data_dir) / "reconcile" / "small"
    reconcile(Asked(SPEC, None, out))
    lead = visit("l.one", color_scheme=scheme)
    lead.go("/reconcile")
    assert_accessible(lead)
    lead.page.click("text=Is the leaderboard")
    assert_accessible(lead)
    lead.page.get_by_label("Bench/Hammer-9, issue_resolution_score").check()
    lead.page.click("text=Make claims of the marked cells")
    lead.page.get_by_text("✓ claim").wait_for()
    assert (out / "claims.csv").is_file()
    lead.page.set_viewport_size({"width": 640, "height": 400})
    assert lead.page.evaluate("document.documentElement.scrollWidth") <= 640
    assert_accessible(lead)
    assert lead.complaints == []
    assert lead.elsewhere == []
