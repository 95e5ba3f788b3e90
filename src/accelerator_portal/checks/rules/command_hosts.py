"""Commands download only over https, from hosts listed in `data/hosts.yaml`.

Readers paste commands into a shell, often as root. To use a new host, add it to that file; a
maintainer of the portal reviews it. The rule applies to steps in `install.yaml`, to `identify`, to
code in guides and FAQs and to commands in reports, including addresses without a scheme.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.catalog import HOSTS
from accelerator_portal.catalog.yaml_file import Location
from accelerator_portal.checks.command_addresses import addresses, implied_addresses
from accelerator_portal.checks.command_texts import CommandText, command_texts
from accelerator_portal.install.addresses import host_of, step_addresses

_SAFE = {"https", "ssh"}

# Answers on each rented machine what that machine is; nothing leaves it, and there is no https.
_OWN_CLOUD = "169.254.169.254"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield addresses of hosts that are not listed, and of protocols that can be tampered with."""
    known = {entry.host for entry in catalog.hosts.hosts} if catalog.hosts else None
    for platform in catalog.platforms:
        for location, address in _of_steps(platform):
            for what, remedy in _faults(address, known):
                yield platform.problem("install.yaml", location, what, remedy)
    told: set[Problem] = set()
    for found in command_texts(catalog):
        for problem in _of_text(found, known):
            if problem not in told:
                told.add(problem)
                yield problem


def _of_steps(platform: Platform) -> Iterator[tuple[Location, str]]:
    for place, option in enumerate(platform.install.options):
        for number, step in enumerate(option.steps):
            for inside, address in step_addresses(step):
                yield ("options", place, "steps", number, *inside), address


def _of_text(found: CommandText, known: set[str] | None) -> Iterator[Problem]:
    for pipeline in found.pipelines():
        for command in pipeline.commands:
            if found.prose and not _is_command(command.words):
                continue  # a mention of an address, or of a package, is no command
            # Of a step, what has a scheme is told with its place in the step.
            named = implied_addresses if found.run else addresses
            for address in named(command.words):
                for what, remedy in _faults(address, known):
                    yield Problem(found.path, found.line + pipeline.line, what, remedy)


def _is_command(words: list[str]) -> bool:
    return len(words) > 1 and words[0][:1].isalpha() and words[0].replace("-", "").isalnum()


def _faults(address: str, known: set[str] | None) -> Iterator[tuple[str, str]]:
    scheme, _, _ = address.partition("://")
    host = host_of(address)
    if "{" in host:
        yield f'"{address[:80]}" has a placeholder in its host', "use a real host name"
        return
    if host == _OWN_CLOUD:
        return
    if scheme.lower().removeprefix("git+") not in _SAFE:
        yield f'"{address[:80]}" is not fetched over https', "write https://"
    if known is not None and host not in known:
        what = f'"{host or address[:80]}" is not an allowed host for commands'
        yield what, f"add it to {HOSTS} with its owner, or use another host"
