"""One visit to each kind of page, for every check that needs no more than the page as it opens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser import kinds
from tests.browser.looks import press_everything, too_tall, too_wide
from tests.browser.visit import Opened


@pytest.mark.parametrize("address", kinds.KINDS, ids=kinds.name)
def test_a_page_fits_its_window_and_stays_within_its_policy_and_its_host(
    opened: Callable[..., Opened], address: str
) -> None:
    visit = opened(address)
    visit.page.wait_for_load_state("networkidle")
    assert too_wide(visit.page) == {}
    assert too_tall(visit.page) == {}
    press_everything(visit.page)
    assert visit.watched.faults() == []
    assert visit.watched.failed == []
