"""Finds a browser on this machine, and makes it simulate a slow phone."""

from __future__ import annotations

import shutil
import sys

from playwright.sync_api import CDPSession, ViewportSize

from tests.browser.executables import BROWSERS

PHONE: ViewportSize = {"width": 390, "height": 844}
SLOWDOWN = 4
"""The factor by which the simulated phone is slower than this machine."""
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 93_750,
}
"""The network of Lighthouse's slow phone: 1.6 Mbit/s down and 750 kbit/s up, in bytes per second,
and a latency of 150 ms."""


def browser_path() -> str | None:
    """Return the path of a browser, or None and print a message if none is installed.

    A browser that can only run headless is the last choice.
    """
    executable = next(filter(None, map(shutil.which, reversed(BROWSERS))), None)
    if executable is None:
        print(f"None of {', '.join(BROWSERS)} is installed.", file=sys.stderr)
    return executable


def slow_phone(session: CDPSession) -> None:
    """Limit a page to the network and the processor of a slow phone."""
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
