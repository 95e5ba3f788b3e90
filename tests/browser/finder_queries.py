"""What readers type and paste, and the first answer that the finder must give."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import yaml


class Paste(NamedTuple):
    """An output of a tool, and what the finder must answer, as in `QUERIES`."""

    name: str
    text: str
    first: str
    word: str
    also: str = ""
    source: str = ""


def _entries(name: str) -> Any:  # noqa: ANN401 - as YAML is
    return yaml.safe_load(Path(__file__).with_name(name).read_text("utf-8"))


PASTES = {entry["name"]: Paste(**entry) for entry in _entries("finder_pastes.yaml")}

# A query; the platforms that may come first; a part of the name; other platforms among the answers.
QUERIES: list[tuple[str, str, str, str]] = [
    *(
        (query, first, *name.partition(" + ")[::2])
        for first, names in _entries("finder_queries.yaml").items()
        for name, queries in names.items()
        for query in queries
    ),
    *((text, first, word, also) for _, text, first, word, also, _ in PASTES.values()),
]

# Queries, each with the entry of data/other-backends.yaml that the finder shows first; "" for none.
OTHERS: list[tuple[str, str]] = [
    (query, entry) for entry, queries in _entries("finder_others.yaml").items() for query in queries
]

# Names that are not in the list, each with one of the names that are shown instead; "" where none is similar.
NOT_LISTED = [
    ("Raspberry Pi 6", "Raspberry Pi 5"),
    ("RTX 3065", "GeForce RTX 3060"),
    ("RTX 6090", "GeForce RTX 5090"),
    ("GeForce RTX 407O", "GeForce RTX 4070"),
    ("GTX 1O80", "GeForce GTX 1080"),
    ("B580X", "Arc B580"),
    ("intel arc b508", "Arc B580"),
    ("RTX 4900", "GeForce RTX 4090"),
    ("Raden RX 7900 XXT", "Radeon RX 7900 XTX"),
    ("Atlas 800 A2 aarch64", "Atlas 800T A2"),
    ("Groq", ""),
    ("iphone", ""),
    ("asdfgh", ""),
    ("banana", ""),
    ("BR100", "B100"),
]

# Queries with choices of the selector beside the name, and these choices.
CHOICES = [
    ("RX 7900 XTX Windows", {"os": "windows"}),
    ("RTX 4090 ubuntu 22.04 pip", {"os": "linux", "method": "pip"}),
    ("9070 XT WSL2", {"os": "linux"}),
    ("MI300X docker", {"method": "docker"}),
    ("torch 2.8 rtx 3060 conda", {"release": "2.8", "method": "conda"}),
    ("Ascend 910B arm", {"arch": "aarch64"}),
    ("RTX 4090", {}),
]
