"""A browser on this machine, and the slow phone that it plays."""

from __future__ import annotations

import shutil
import sys

from playwright.sync_api import CDPSession, ViewportSize

from tests.browser.executables import BROWSERS

PHONE: ViewportSize = {"width": 390, "height": 844}
SLOWDOWN = 4
"""How many times as long as this machine the phone computes."""
NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 93_750,
}
"""1.6 Mbit/s down, 750 kbit/s up, as Lighthouse's slow phone."""


def browser_path() -> str | None:
    """Return the path of a browser, headless only where there is no other; say if there is none."""
    executable = next(filter(None, map(shutil.which, reversed(BROWSERS))), None)
    if executable is None:
        print(f"None of {', '.join(BROWSERS)} is installed.", file=sys.stderr)
    return executable


def slow_phone(session: CDPSession) -> None:
    """Give a page the network and the processor of a slow phone."""
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
