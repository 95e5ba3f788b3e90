"""The headline above a card's commands says no more than the notes below it."""

from __future__ import annotations

import re

from tests.browser.finding import HOME, anew, ask, on
from tests.browser.visit import OpenPage

SUPPORTS = re.compile(r"\bsupports?\b")
# What a headline must say of a generation with this field in /api/v1/hardware.json.
QUALIFIED = {
    "uncertain": "It is not certain",
    "inference_only": "for inference only",
    "reaches": "basic operations are reported to fail",
}


def test_a_headline_has_the_doubts_of_the_data(open_page: OpenPage) -> None:
    """Asks for a product of each generation on which the data casts a doubt."""
    page = open_page(HOME, script=on("linux"))
    hardware = page.evaluate(
        "async () => (await (await fetch('../api/v1/hardware.json')).json()).platforms"
    )
    asked = 0
    for platform in hardware:
        for generation in platform["generations"]:
            field = next((name for name in QUALIFIED if generation.get(name)), None)
            if field is None or (generation["verdict"] == "none" and field != "reaches"):
                continue
            anew(page)
            ask(page, generation["models"][0]["name"].replace("#", "5"))
            boxes = page.locator(".answer").all()
            (box,) = (
                box
                for box in boxes
                if box.locator(f"a[href$='{generation['page'].partition('#')[2]}']").count()
            )
            text = box.text_content() or ""
            assert QUALIFIED[field] in text, (platform["id"], generation["name"], text)
            for headline in box.locator(".answer-verdict").all_text_contents():
                if SUPPORTS.search(headline):
                    assert QUALIFIED[field] in headline
            asked += 1
    assert asked >= 15


def test_a_card_whose_newest_build_fails_gets_the_one_that_computes(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    for card in ("MI50", "Radeon VII", "MI25", "RX Vega 56"):
        anew(page)
        ask(page, card)
        first = page.locator(".answer").first
        command = first.locator(".command-main").first.text_content() or ""
        assert "rocm6.3" in command
        assert "torch==2.9" in command
        assert "TensileLibrary" in (first.text_content() or "")
        assert "@ x" in (first.locator(".command").first.text_content() or "")
