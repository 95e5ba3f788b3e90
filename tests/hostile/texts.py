"""Texts that would be markup, script or template code somewhere: `texts.yaml`."""

from __future__ import annotations

from pathlib import Path

import yaml

_KINDS = yaml.safe_load(Path(__file__).with_name("texts.yaml").read_text("utf-8"))

ELEMENTS: dict[str, str] = _KINDS["elements"]
MUTATIONS: dict[str, str] = _KINDS["mutations"]
LANGUAGES: dict[str, str] = _KINDS["languages"]

ALL: dict[str, str] = {
    f"{kind.removesuffix('s')}: {name}": text
    for kind, texts in _KINDS.items()
    for name, text in texts.items()
}
