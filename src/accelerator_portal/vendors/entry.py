"""From an entry of `additional-platforms.json` to a draft of a vendor's folder.

What the entry does not say is left out, never guessed; `accelerator-portal check` then names it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from markdownify import ATX, markdownify
from packaging.version import Version

from accelerator_portal.catalog.markdown_file import GUIDE_HEADINGS
from accelerator_portal.catalog.releases_file import Releases
from accelerator_portal.install.additional_platforms import AdditionalPlatforms, Commands
from accelerator_portal.install.pip_command import pip_steps
from accelerator_portal.vendors.draft import Draft
from accelerator_portal.vendors.entry_releases import pinned_plugin
from accelerator_portal.vendors.pins import exact_version, pinned

SOURCE = "additional-platforms"
_REPOSITORY = "https://github.com/pytorch/pytorch.github.io"
_WHEELS = re.compile(r"https://download\.pytorch\.org/whl/(?:nightly/)?([a-z0-9.]+)/?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

# Where the sections of pytorch.org's guides go; what has no place of its own stays with the last.
_SECTIONS = {
    "prerequisites": "Prepare",
    "installation": "Install",
    "verification": "Start",
    "documentation": "Help",
}


def folder_name(platform_id: str) -> str:
    """Return the folder's name for an id of the file, which may have underscores."""
    return platform_id.replace("_", "-")


def entry_draft(
    data: AdditionalPlatforms, platform_id: str, releases: Releases, read: dt.date
) -> Draft:
    """Return what an entry says.

    A command without a version is about the newest of `releases` that its index has; `read` is the
    day on which the file was read. Raises UnreadableCommandError for a command that is no chain of
    pip commands.
    """
    platform = data.platforms[platform_id]
    options = [
        *_options("stable", platform.stable, releases),
        *_options("preview", platform.preview or Commands.model_construct(), releases),
    ]
    support = {
        "title": "Support channel",
        "url": platform.support_channel,
        "source": SOURCE,
    }
    return Draft(
        sources={SOURCE: _source(data, read)},
        accelerator={
            "name": platform.name,
            "support": [support],
            "additional_platform": {"id": platform_id, "source": SOURCE},
        },
        install={"options": options},
        rows=list(_rows(options)),
        guide=dict(_guide(data.html.get(platform_id, ""))),
        questions={"Where to ask?": f"<{platform.support_channel}> [@{SOURCE}]"},
    )


def with_all_headings(draft: Draft) -> Draft:
    """Return an entry's draft whose guide says of each missing section that it is missing."""
    nothing = f"Not described in the source [@{SOURCE}]."
    return replace(
        draft, guide={title: draft.guide.get(title, nothing) for title in GUIDE_HEADINGS}
    )


def _source(data: AdditionalPlatforms, read: dt.date) -> dict[str, Any]:
    title = "PyTorch, additional-platforms.json"
    source: dict[str, Any] = {"url": _REPOSITORY, "title": title, "read": read}
    made = _day(data.generated_at or "")
    if made and made <= read:
        source["as_of"] = made
    return source


def _day(moment: str) -> dt.date | None:
    """The day that a moment begins with; None for one that does not exist."""
    found = _DAY.match(moment)
    try:
        return dt.date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None


def _options(channel: str, commands: Commands, releases: Releases) -> Iterator[dict[str, Any]]:
    """One option for each distinct command; its processor architecture is not in the file."""
    systems: dict[str, list[str]] = {}
    for os, command in (("linux", commands.linux), ("windows", commands.windows)):
        if command:
            systems.setdefault(command, []).append(os)
    for command, names in systems.items():
        steps = pip_steps(command)
        yield {
            "id": "-".join([channel, *names]),
            **({"channel": "preview"} if channel == "preview" else {}),
            **_serves(channel, steps, releases),
            "methods": ["pip", "uv"],
            "os": names,
            "steps": steps,
            "source": SOURCE,
        }


def _serves(channel: str, steps: list[dict[str, Any]], releases: Releases) -> dict[str, Any]:
    """Which torch the steps install: the one they pin, else the newest that the index has."""
    version = pinned(steps, "torch")
    if version:
        return {"torch": [version]}
    indexes = (_WHEELS.fullmatch(step["pip"].get("index", "")) for step in steps)
    wheels = next((found[1] for found in indexes if found), None)
    torch = {} if wheels and channel == "preview" else {"torch": [_newest(releases, wheels)]}
    return {**({"wheels": wheels} if wheels else {}), **torch}


def _newest(releases: Releases, wheels: str | None) -> str:
    """The newest release with such wheels; where none is known to have any, the newest of all."""
    having = [r for r in releases.releases if any(wheel.variant == wheels for wheel in r.wheels)]
    return max(having or releases.releases, key=lambda r: Version(r.version)).version


def _rows(options: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Versions that a stable command pins together."""
    for option in options:
        torch = pinned(option["steps"], "torch")
        plugin = pinned_plugin(option)
        if torch and plugin:
            version = exact_version(plugin.specifier)
            yield {"torch": torch, "plugin": version, "source": SOURCE}
            return


def _guide(html: str) -> Iterator[tuple[str, str]]:
    """Yield the headings that the guide has something for, and what it has."""
    sections: dict[str, list[str]] = {heading: [] for heading in GUIDE_HEADINGS}
    lines = sections["Prepare"]
    fenced = False
    text = markdownify(html, heading_style=ATX, autolinks=False, strip=["img"]).strip()
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        heading = None if fenced else re.fullmatch(r"(#+)\s+(.+)", line)
        if heading and heading[2].strip().lower() in _SECTIONS:
            lines = sections[_SECTIONS[heading[2].strip().lower()]]
        elif heading and len(heading[1]) > 1:
            lines.append(f"### {heading[2]}")
        elif not heading:
            lines.append(line.rstrip() if fenced else _without_html(line.rstrip()))
    for title, found in sections.items():
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(found)).strip()
        if text:
            yield title, f"{text}\n\nFrom pytorch.org [@{SOURCE}]."


def _without_html(line: str) -> str:
    """What looks like HTML in the text, but not in its code, is text."""
    parts = line.split("`")
    parts[::2] = [part.replace("<", "\\<") for part in parts[::2]]
    return "`".join(parts)
