"""Commands fetch from hosts that `data/hosts.yaml` lists, over https.

Readers paste commands into a shell, often as root. A new host is a line in that file, which a
maintainer of the portal looks at. This holds for the steps of `install.yaml` and for code in guides
and FAQs.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.catalog import HOSTS
from accelerator_portal.catalog.install_file import Step
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.catalog.yaml_file import Location

_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]*)://[^\s'\"<>`)\]|]+", re.IGNORECASE)
_SAFE = {"https", "ssh"}


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield addresses of hosts that are not listed, and of protocols that can be tampered with."""
    known = {entry.host for entry in catalog.hosts.hosts} if catalog.hosts else None
    for platform in catalog.platforms:
        for location, address in _of_steps(platform):
            for what, remedy in _faults(address, known):
                yield platform.problem("install.yaml", location, what, remedy)
        for file in (platform.guide, platform.faq):
            yield from _of_text(file, known)


def _of_steps(platform: Platform) -> Iterator[tuple[Location, str]]:
    for place, option in enumerate(platform.install.options):
        for number, step in enumerate(option.steps):
            for inside, address in addresses(step):
                yield ("options", place, "steps", number, *inside), address


def addresses(step: Step) -> Iterator[tuple[Location, str]]:
    """Yield every address that a step fetches from, with its place in the step."""
    for inside, text in _texts(step):
        yield from ((inside, address) for address in _ADDRESS.findall(text))


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


def _of_text(file: MarkdownFile, known: set[str] | None) -> Iterator[Problem]:
    for block in file.code:
        for number, line in enumerate(block.text.split("\n"), block.line):
            for address in _ADDRESS.findall(line):
                for what, remedy in _faults(address, known):
                    yield Problem(file.path, number, what, remedy)


def _faults(address: str, known: set[str] | None) -> Iterator[tuple[str, str]]:
    scheme, _, rest = address.partition("://")
    if rest.startswith("{"):
        return  # a placeholder; what it stands for is checked where it is written
    if scheme.lower().removeprefix("git+") not in _SAFE:
        yield f'"{address[:80]}" is not fetched over https', "write https://"
    host = host_of(address)
    if known is not None and host not in known:
        what = f'"{host}" is not among the hosts that commands may name'
        yield what, f"add it to {HOSTS} with its owner, or use another"
