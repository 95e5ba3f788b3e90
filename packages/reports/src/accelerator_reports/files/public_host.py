"""Checks whether the host of an address is public, without resolving names."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult

# Source: RFC 1123, 2.1, and RFC 1035, 2.3.4. A label in Punycode would be shown in letters of
# another alphabet. A last label that begins with a digit is an IPv4 address in another notation:
# `127.1`, `0x7f.1` and `2130706433` are all the loopback address.
_LABEL = r"(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)+(?![0-9]){_LABEL}\.?", re.IGNORECASE)

# Names that never leave a machine or its own network. Sources: RFC 6761, 6.3; RFC 6762, 3;
# RFC 8375; ICANN's resolution 2024.07.29.06 (`.internal`).
_PRIVATE_SUFFIXES = (".localhost", ".local", ".internal", ".home.arpa", ".localdomain")


def is_public(parts: SplitResult) -> bool:
    """Return whether an address has a public host. False if its port is invalid.

    `parts` is the address as `urlsplit` returns it.
    """
    try:
        if parts.port == 0:
            return False
    except ValueError:
        return False
    host = parts.hostname or ""
    return is_public_ip(host) or is_public_name(host)


def is_public_name(host: str) -> bool:
    """Return whether a host name is valid and does not belong to a private network."""
    name = host.lower().rstrip(".")
    return bool(_NAME.fullmatch(host)) and not name.endswith(_PRIVATE_SUFFIXES)


def is_public_ip(text: str) -> bool:
    """Return whether a text is a public unicast IP address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    embedded = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    return address.is_global and not address.is_multicast and (not embedded or embedded.is_global)
