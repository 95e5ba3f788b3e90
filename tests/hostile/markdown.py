"""Markdown as a vendor may write it (`markdown.yaml`): what is refused, and what is accepted and must be harmless."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from tests.hostile.texts import ELEMENTS, MUTATIONS

RAW_HTML = "raw HTML is not allowed"
NO_ADDRESS = "is not a web address"

_TABLES = yaml.safe_load(Path(__file__).with_name("markdown.yaml").read_text("utf-8"))
_ADDRESSES: dict[str, str] = _TABLES["links"]

REFUSED: Mapping[str, tuple[str, str]] = {
    **{f"raw HTML: {name}": (text, RAW_HTML) for name, text in _TABLES["raw HTML"].items()},
    **{
        f"raw HTML: {name}": (text, RAW_HTML)
        for name, text in {**ELEMENTS, **MUTATIONS}.items()
        if name not in _TABLES["no HTML"]
    },
    **{
        f"a link: {name}": (f"[x]({address})", NO_ADDRESS)
        for name, address in _ADDRESSES.items()
        if name not in _TABLES["no links"]
    },
    **{f"a link: {name}": tuple(case) for name, case in _TABLES["other links"].items()},
}

ACCEPTED: Mapping[str, str] = {
    **{
        f"no link: {name}": f"[x]({address})"
        for name, address in _ADDRESSES.items()
        if f"a link: {name}" not in REFUSED
    },
    **{
        f"no HTML: {name}": text
        for name, text in {**ELEMENTS, **MUTATIONS}.items()
        if f"raw HTML: {name}" not in REFUSED
    },
    **_TABLES["accepted"],
}
