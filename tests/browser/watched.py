"""What pages do that no page should do."""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage

# An address without a page: the browser itself complains of it.
MISSING = "nowhere/at/all/"


@dataclass
class Watched:
    """What a page did that no page should do."""

    origin: str
    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def faults(self) -> list[str]:
        """Everything that should not have been."""
        return [*self.console, *self.errors, *self.foreign]

    def message(self, message: ConsoleMessage) -> None:
        """Note what the browser, or the page, complains of."""
        missing = message.location.get("url") == self.origin + MISSING
        if message.type in {"error", "warning"} and not missing:
            self.console.append(f"{message.type}: {message.text}")

    def request(self, address: str) -> None:
        """Note an address of another host."""
        if not address.startswith((self.origin, "data:", "blob:")):
            self.foreign.append(address)
