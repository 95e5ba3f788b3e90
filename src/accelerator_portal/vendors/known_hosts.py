"""Adds hosts to `data/hosts.yaml`, the list of hosts from which install commands may download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import yaml

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.shared_files import Host, Hosts

_ITEM_PREFIX = "  - {host: "


def with_known_hosts(catalog: Catalog, hosts: Sequence[str], owner: str) -> Catalog:
    """Return a copy of the catalog with `hosts` added to its list of hosts.

    `owner` is who operates the hosts. A catalog without `data/hosts.yaml` is returned unchanged.
    """
    if not hosts or catalog.hosts is None:
        return catalog
    new_hosts = (Host(host=host, owner=owner) for host in hosts)
    return replace(catalog, hosts=Hosts(hosts=(*catalog.hosts.hosts, *new_hosts)))


def with_host_lines(text: str, hosts: Sequence[str], owner: str) -> str:
    """Return the text of `data/hosts.yaml` with a line added for each host.

    `text` is the present text. The lines stay in alphabetical order. `owner` is who operates the
    hosts.
    """
    lines = text.rstrip("\n").split("\n")
    for host in hosts:
        data = {"host": host, "owner": owner}
        item = yaml.safe_dump(data, default_flow_style=True, allow_unicode=True, width=10_000)
        later_indexes = (
            n
            for n, line in enumerate(lines)
            if line.startswith(_ITEM_PREFIX) and _host_of_line(line) > host
        )
        lines.insert(next(later_indexes, len(lines)), f"  - {item.strip()}")
    return "\n".join(lines) + "\n"


def _host_of_line(line: str) -> str:
    return line.removeprefix(_ITEM_PREFIX).partition(",")[0]
