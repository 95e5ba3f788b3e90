from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.executables import BROWSERS
from tests.browser.profiles import Profiles
from tests.browser.serving import served
from tests.browser.visit import Opened, Visitor
from tests.built_site import Site, site

__all__ = ["site"]

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-ipc-flooding-protection",  # or else fast clicks lose their place in the history
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def origin(site: Site) -> Iterator[str]:
    """The address under which the built site is served, on this machine only."""
    with served(site.root) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        reason = f"none of {', '.join(BROWSERS)} is installed"
        if os.environ.get("PORTAL_REQUIRE_BROWSER"):
            pytest.fail(f"{reason}, and PORTAL_REQUIRE_BROWSER is set")
        pytest.skip(reason)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Profiles:
    return Profiles(browser)


@pytest.fixture
def open_page(browser: Browser, profiles: Profiles, origin: str) -> Iterator[Callable[..., Page]]:
    """Open a page of the site as in a fresh profile; its ending says what went wrong in it."""
    visitor = Visitor(browser, origin, profiles)
    yield visitor.open
    faults = visitor.close()
    assert faults == []


@pytest.fixture
def opened(browser: Browser, profiles: Profiles, origin: str) -> Iterator[Callable[..., Opened]]:
    """As `open_page`, for tests that look at what went wrong themselves."""
    visitor = Visitor(browser, origin, profiles)

    def open_and_watch(address: str = "", **options: Any) -> Opened:  # noqa: ANN401 - Playwright's
        page = visitor.open(address, **options)
        return Opened(page, visitor.watched[-1])

    yield open_and_watch
    visitor.close()
