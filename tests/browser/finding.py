"""Asking the card finder, through its form or its model."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page

from tests.browser.visit import expect

HARDWARE = "hardware/"
# The same finder on a page that a browser draws three times as fast.
HOME = ""

SYSTEMS = {"linux": "Linux x86_64", "windows": "Win32", "macos": "MacIntel", "phone": "iPhone"}
# Phones and tablets whose platform is that of a computer.
MOBILE = """
Object.defineProperty(navigator, "platform", { get: () => "%s" });
Object.defineProperty(navigator, "userAgentData", { get: () => undefined });
Object.defineProperty(navigator, "userAgent", { get: () => "%s" });
Object.defineProperty(navigator, "maxTouchPoints", { get: () => 5 });
"""
ANDROID = MOBILE % (
    "Linux armv81",
    "Mozilla/5.0 (Linux; Android 10; K) Chrome/140.0.0.0 Mobile Safari/537.36",
)
IPAD = MOBILE % (
    "MacIntel",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15",
)
SYSTEM = """
Object.defineProperty(navigator, "platform", { get: () => "%s" });
Object.defineProperty(navigator, "userAgentData", { get: () => undefined });
"""

# The answers of the model to queries.
ANSWERS = """async (queries) => {
  const { Cards } = await import("../assets/scripts/finder-model.js");
  const read = async (name) => (await fetch(`../api/v1/${name}.json`)).json();
  const [hardware, { offers }] = await Promise.all([read("hardware"), read("selector")]);
  const cards = new Cards(hardware);
  const runsHere = (id, os) => Object.keys(offers[id] ?? {}).join().includes(os ?? "linux");
  const names = (models) => models.map(({ name }) => name);
  return queries.map((query) => cards.find(query, runsHere).map((answer) => ({
    platform: answer.platform.id,
    card: answer.generation?.page.split("#card-")[1] ?? "",
    models: names(answer.models),
    all: names(answer.generation?.models ?? []),
    driver: answer.driver,
    guessed: Boolean(answer.guessed),
    broad: Boolean(answer.broad),
  })));
}"""


def on(system: str) -> str:
    """A script that makes the browser tell of an operating system."""
    return SYSTEM % SYSTEMS[system]


def anew(page: Page) -> None:
    """Take the question back, so that no earlier answer can stand for the next one."""
    page.locator("#card").fill("")
    expect(page.locator(".answer")).to_have_count(0)
    expect(page.locator("#card-status")).to_have_text("")


def ask(page: Page, query: str) -> None:
    page.locator("#card").fill(query)
    expect(page.locator("#card-status")).to_have_text(re.compile(r"^(?!Searching…|正在搜索…).+"))


def answers(page: Page, *queries: str) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = page.evaluate(ANSWERS, list(queries))
    return found
