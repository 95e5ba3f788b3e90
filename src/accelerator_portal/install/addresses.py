"""Finds the addresses in the steps of install options, and the hosts of addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from accelerator_portal.catalog.files.install_steps import Step
from accelerator_reports.files.yaml_file import Location

# The length is bounded, so that a search takes time proportional to the text. No real scheme is
# longer.
_SCHEME = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9+.-]{0,30}://", re.IGNORECASE)

# The most characters of a host, a port and the user name; longer addresses have no listed host.
_MAX_ADDRESS_LENGTH = 300


def text_addresses(text: str) -> list[str]:
    """Return every address in a text, of any scheme.

    An address ends at the next space, or after _MAX_ADDRESS_LENGTH characters. It can contain
    quotation marks and brackets, because programs accept them in addresses. For example,
    `https://trusted)@evil.example` leads to the host `evil.example`.
    """
    starts = [match.start() for match in _SCHEME.finditer(text)]
    return [text[start : start + _MAX_ADDRESS_LENGTH].split(maxsplit=1)[0] for start in starts]


def step_addresses(step: Step) -> Iterator[tuple[Location, str]]:
    """Yield every address that a step fetches from, with its location in the step."""
    for location, text in _step_texts(step):
        yield from ((location, address) for address in text_addresses(text))


def host_of(address: str) -> str:
    """Return the host of an address; empty without a host or for an invalid address."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def registry_of(image: str) -> str:
    """Return the host of the registry in an image name, or `docker.io` if there is none.

    Names are read as Docker does. Source: splitDockerDomain in distribution/reference.
    """
    host, slash, _ = image.partition("/")
    has_host = "." in host or ":" in host or host == "localhost" or host != host.lower()
    return host.partition(":")[0].lower() if slash and has_host else "docker.io"


def _step_texts(step: Step) -> Iterator[tuple[Location, str]]:
    """Yield every text of a step that may contain an address, with its location."""
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
