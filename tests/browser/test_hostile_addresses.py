"""Whatever an address asks for, nothing runs, and the scripts find something to show."""

from __future__ import annotations

import random
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.browser.visit import wait_until_ready
from tests.browser.watching import Watcher, bare
from tests.hostile import texts
from tests.hostile.built import hostile_site

__all__ = ["bare", "hostile_site"]

# What an address may ask for; the pages read it with scripts.
# fmt: off
ASKED = (
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", '"><svg/onload=alert(1)>',
    "javascript:alert(1)", "__proto__", "constructor", "toString", "%00", "%", "%E0%A4%A", "../..",
    "{{constructor.constructor('alert(1)')()}}", "' onfocus=alert(1) autofocus x='", "x" * 5000,
    "\u202eemca", "a,b,c,d,e", "acme&os=<b>", "]]>", "${alert(1)}", "//evil.example", "\U0001f600",
)
# fmt: on
QUESTIONS = (
    "?platform={}&os={}&build={}&variant={}&python={}&method={}&arch={}",
    "hardware/?card={}#{}",
    "compare/?with={},acme,{}",
    "questions/?text={}&platform={}",
    "results/by-model/?text={}&platform={}&evidence={}#{}",
    "results/compare/?from={}&to={}&suite={}&kind={}#{}",
    "results/made-up/?text={}&outcome={}&accelerator={}&dtype={}&sort={}&page={}#{}",
    "results/made-up/tests/?text={}&outcome={}#{}",
    "results/made-up/tests/f/?text={}&outcome={}#{}",
    "compute-platforms/acme/?platform={}&arch={}&variant={}#{}",
    "?q={}#{}",
)


def asked_of(question: str) -> Iterator[str]:
    """The question with each of ASKED at some place in it, encoded and as it is in turn."""
    turn = iter(ASKED)
    number = 0
    while (first := next(turn, None)) is not None:
        address = question.replace("{}", _written(first, number), 1)
        while "{}" in address:
            number += 1
            address = address.replace("{}", _written(next(turn, "acme"), number), 1)
        number += 1
        yield address


def _written(text: str, number: int) -> str:
    return quote(text, safe="" if number % 2 else "<>\"'(){}$/:=%")


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_address_asks_for_nothing_that_runs(bare: Watcher, question: str) -> None:
    faults = []
    for address in asked_of(question):
        bare.page.goto(address)
        wait_until_ready(bare.page)
        faults += bare.faults(address)
    assert faults == []


_NAMES = (
    "build os arch python method platform variant text card sort page order accelerator outcome"
    " __proto__ constructor"
)
_VALUES = (
    "stable preview linux x86_64 3.12 pip docker acme acme2 acme1 -1 0 1e9 NaN ascending failed"
)


def some_addresses(count: int) -> list[str]:
    """Names and values that the pages know, hostile ones and noise, put together by chance."""
    pick = random.Random(7)  # noqa: S311 - no secret
    names = [*_NAMES.split(), ""]
    values = [*_VALUES.split(), "", *ASKED, *texts.ALL.values()]
    noise = "&=%?#;+\\/ \u0000\u202e\U0001f600abc"

    def part() -> str:
        if pick.random() < 0.1:
            return "".join(pick.choices(noise, k=pick.randint(0, 12)))
        value = pick.choice(values)
        return f"{pick.choice(names)}={quote(value) if pick.random() < 0.8 else value}"

    return ["&".join(part() for _ in range(pick.randint(0, 8))) for _ in range(count)]


def test_whatever_an_address_says_the_selector_has_a_row_and_a_matrix_a_state(
    bare: Watcher,
) -> None:
    """The scripts' own parsers, five hundred addresses in one call of the browser."""
    bare.page.goto("")
    wait_until_ready(bare.page)
    wrong = bare.page.evaluate(_PARSE, some_addresses(500))
    assert wrong == []


_PARSE = """async (addresses) => {
  const at = (name) => import(new URL(`../assets/scripts/${name}.js`, location.origin + "/x/"));
  const data = async (name) => (await fetch(`${location.origin}/api/v1/${name}.json`)).json();
  const { Model } = await at("selector-model");
  const { readAddress } = await at("selector-wishes");
  const { Cards } = await at("finder-model");
  const { readState, queryOf } = await at("matrix-model");
  const model = new Model(await data("selector"));
  for (const [id, own] of Object.entries((await data("install")).platforms)) model.add(id, own);
  const cards = new Cards(await data("hardware"));
  const known = { sort: ["name"], order: ["ascending", "descending"], outcome: ["failed"] };
  const wrong = [];
  for (const address of addresses) {
    const begun = performance.now();
    try {
      history.replaceState(null, "", `?${address}`);
      const { wishes } = readAddress(model, location.search);
      const { choice, row } = model.resolve(wishes.list, wishes.limits);
      const axes = row ? model.axes : ["platform", ...model.data.machine];
      if (axes.some((axis) => typeof choice[axis] !== "string")) wrong.push(["no text", address]);
      const state = readState(location.search, known);
      const again = readState(queryOf(state), known);
      if (JSON.stringify(again) !== JSON.stringify(state)) wrong.push(["state", address]);
      if (!Array.isArray(cards.find(address))) wrong.push(["no answers", address]);
    } catch (error) {
      wrong.push([String(error), address]);
    }
    if (performance.now() - begun > 2000) wrong.push(["slow", address]);
  }
  return wrong;
}"""
