"""Templates, stylesheets and scripts know no outcome and no color that the table does not have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from accelerator_reports.outcomes import OUTCOMES, WORST_FIRST, OutcomeColor
from tests.built_site import Site, attribute
from tests.folders import REPOSITORY

SCRIPTS = REPOSITORY / "site_src/scripts"
STYLES = REPOSITORY / "site_src/styles"
CLASS = re.compile(r"\.outcome--([a-z-]+) {")


def test_every_color_has_a_class() -> None:
    text = (STYLES / "tables.css").read_text("utf-8")
    assert sorted(CLASS.findall(text)) == sorted(get_args(OutcomeColor))


def test_a_bar_has_a_part_for_each_number_of_its_cell(site: Site) -> None:
    cells = site.pages["compute-platforms/cpu/"].tree.css(".suite-cell")
    assert cells
    for cell in cells:
        parts = [
            (attribute(part, "class"), attribute(part, "style")) for part in cell.css(".bar > i")
        ]
        numbers = re.findall(r"([\d,]+) ([a-z ]+)(?:, |$)", attribute(cell, "title"))
        outcomes = {name.replace("-", " "): info for name, info in OUTCOMES.items()}
        assert parts == [
            (f"outcome--{outcomes[words].bar_color}", f"flex-grow:{number.replace(',', '')}")
            for number, words in numbers
        ]


def test_every_color_is_defined_and_used() -> None:
    tokens = (STYLES / "tokens.css").read_text("utf-8")
    assert all(f"--portal-{color}:" in tokens for color in get_args(OutcomeColor))
    assert {info.color for info in OUTCOMES.values()} == set(get_args(OutcomeColor))


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.js")), ids=lambda file: file.name)
def test_scripts_name_no_outcome_but_the_one_that_is_good(script: Path) -> None:
    """They take signs, words and the order of severity from the page."""
    strings = re.findall(r'"([a-z-]+)"', script.read_text("utf-8"))
    assert set(strings) & OUTCOMES.keys() <= {"passed"}


def test_the_page_of_the_format_explains_every_outcome(site: Site) -> None:
    legend = site.pages["contribute/report/"].one("ul.legend")
    words = [" ".join(item.text(separator=" ").split()) for item in legend.css("li")]
    assert words[: len(OUTCOMES)] == [
        f"{info.sign} {outcome.replace('-', ' ')} {info.meaning}"
        for outcome, info in OUTCOMES.items()
    ]


def test_a_matrix_gives_its_script_the_signs_and_the_order(site: Site) -> None:
    page = site.pages["results/torchbench/"]
    order = attribute(page.one("form[data-matrix]"), "data-worst-first").split()
    assert order == [*WORST_FIRST]
    for item in page.tree.css(".matrix-legend [data-outcome]"):
        outcome = attribute(item, "data-outcome")
        if outcome == "no-evidence":
            continue
        info = next(info for name, info in OUTCOMES.items() if name == outcome)
        sign = item.css_first(".outcome")
        assert sign is not None
        assert sign.text() == info.sign
        assert attribute(sign, "class").split() == ["outcome", f"outcome--{info.color}"]
