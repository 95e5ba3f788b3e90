"""The addresses that commands fetch from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from accelerator_portal.catalog.install_steps import Step
from accelerator_portal.catalog.yaml_file import Location

# Bounded: a search must not begin anew at every letter. No scheme in use is longer.
_SCHEME = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9+.-]{0,30}://", re.IGNORECASE)

# What a host, a port and the names before it may take; what is longer names no listed host.
_LONGEST = 300


def text_addresses(text: str) -> list[str]:
    """Return every address in a word, of any scheme, up to the end of the word.

    A quotation mark or a bracket in it is part of it, as it is to the program that gets the word:
    `https://trusted)@evil.example` leads to the second host.
    """
    starts = [found.start() for found in _SCHEME.finditer(text)]
    return [text[start : start + _LONGEST].split(maxsplit=1)[0] for start in starts]


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


def registry_of(image: str) -> str:
    """Return the host of an image: `docker.io` where its name begins with none.

    As Docker reads names. Source: splitDockerDomain in distribution/reference.
    """
    first, slash, _ = image.partition("/")
    named = "." in first or ":" in first or first == "localhost" or first != first.lower()
    return first.partition(":")[0].lower() if slash and named else "docker.io"


def _texts(step: Step) -> Iterator[tuple[Location, str]]:
    """Every text of a step that may name an address."""
    if step.pip:
        yield from ((("pip", "packages", n), text) for n, text in enumerate(step.pip.packages))
        yield ("pip", "index"), step.pip.index or ""
        yield ("pip", "extra_index"), step.pip.extra_index or ""
    if step.docker:
        yield ("docker", "image"), f"https://{registry_of(step.docker.image)}/"
        yield from ((("docker", "args", n), text) for n, text in enumerate(step.docker.args))
    if step.download:
        yield ("download", "url"), step.download.url
    yield from ((("run", n), text) for n, text in enumerate(step.run or ()))
    yield from ((("env", name), text) for name, text in (step.env or {}).items())
