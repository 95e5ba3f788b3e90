"""The addresses that commands fetch from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from accelerator_portal.catalog.install_file import Step
from accelerator_portal.catalog.yaml_file import Location

_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]*)://[^\s'\"<>`)\]|]+", re.IGNORECASE)


def text_addresses(text: str) -> list[str]:
    """Return every address in a text, of any scheme."""
    return _ADDRESS.findall(text)


def step_addresses(step: Step) -> Iterator[tuple[Location, str]]:
    """Yield every address that a step fetches from, with its place in the step."""
    for inside, text in _texts(step):
        yield from ((inside, address) for address in text_addresses(text))


def host_of(address: str) -> str:
    """Return the host of an address, empty where it names none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _texts(step: Step) -> Iterator[tuple[Location, str]]:
    """Every text of a step that may name an address."""
    if step.pip:
        yield from ((("pip", "packages", n), text) for n, text in enumerate(step.pip.packages))
        yield ("pip", "index"), step.pip.index or ""
        yield ("pip", "extra_index"), step.pip.extra_index or ""
    if step.docker:
        yield ("docker", "image"), f"https://{_registry(step.docker.image)}/"
        yield from ((("docker", "args", n), text) for n, text in enumerate(step.docker.args))
    if step.download:
        yield ("download", "url"), step.download.url
    yield from ((("run", n), text) for n, text in enumerate(step.run or ()))
    yield from ((("env", name), text) for name, text in (step.env or {}).items())


def _registry(image: str) -> str:
    """The host of an image: `docker.io` where its name begins with none."""
    first, slash, _ = image.partition("/")
    named = bool(slash) and ("." in first or ":" in first)
    return first.partition(":")[0].lower() if named else "docker.io"
