"""Finds where the site's pages describe the format of a contributed file or of a record in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

WHOLE = "the file"
"""The heading on the page for the description of a whole file."""

FILES = {
    "accelerators/<id>/accelerator.yaml": "accelerator",
    "accelerators/<id>/install.yaml": "install",
    "accelerators/<id>/compatibility.yaml": "compatibility",
    "accelerators/<id>/guide.md, faq.md (front matter)": "front-matter",
    "accelerators/<id>/guide.<language>.md, faq.<language>.md (front matter)": "translation",
    "accelerators/<id>/known-issues.yaml": "known-issues",
    "accelerators/<id>/validation.yaml": "validation",
    "accelerators/<id>/stated-models.yaml": "stated-models",
    "data/releases.yaml": "releases",
    "data/selector.yaml": "selector",
    "data/suites/<id>.yaml": "suite",
    "data/models.yaml": "models",
    "data/model-families.yaml": "model-families",
    "data/feature-tests.yaml": "feature-tests",
    "data/criteria.yaml": "criteria",
    "data/exceptions.yaml": "exceptions",
    "data/hosts.yaml": "hosts",
    "data/finder.yaml": "finder",
    "data/own-runs.yaml": "own-runs",
    "data/relay.yaml": "relay",
    "data/executorch-goals.yaml": "executorch-goals",
    "data/other-backends.yaml": "other-backends",
}
"""Maps each file's name on the page to the name of its schema."""


def slug(text: str) -> str:
    """Return the anchor of a heading: its words in lower case, joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"


def format_address(path: str, record: str) -> str:
    """Return the address of a record's format description, relative to the site's root.

    `path` is the contributed file. `record` is the name of the record's model, such as `Option`, or
    empty for the file itself.
    """
    if fnmatchcase(path, "accelerators/*/results/*"):
        return "contribute/report/#keys"
    for name in FILES:
        if any(fnmatchcase(path, pattern) for pattern in _patterns(name)):
            return f"contribute/format/#{slug(name)}-{slug(record or WHOLE)}"
    return "contribute/format/"


def _patterns(name: str) -> Iterator[str]:
    """Yield a glob pattern for each file in a key of FILES; `…/guide.md, faq.md` names two."""
    name = name.partition(" (")[0].replace("<id>", "*").replace("<language>", "*")
    first, *others = name.split(", ")
    yield first
    yield from (f"{first.rpartition('/')[0]}/{other}" for other in others)
