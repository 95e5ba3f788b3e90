"""From an entry of `additional-platforms.json` to the files of a vendor's folder.

What the entry does not say is left out, never guessed; `accelerator-portal check` then names it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

import yaml
from markdownify import ATX, markdownify
from packaging.requirements import Requirement

from accelerator_portal.install.additional_platforms import AdditionalPlatforms, Commands
from accelerator_portal.install.pip_command import pip_steps

_SOURCE = "additional-platforms"
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
_HEADINGS = ("Prepare", "Install", "Start", "Deploy", "Help")


def folder_name(platform_id: str) -> str:
    """Return the folder's name for an id of the file, which may have underscores."""
    return platform_id.replace("_", "-")


def draft_folder(
    data: AdditionalPlatforms, platform_id: str, newest: str, read: dt.date
) -> dict[str, str]:
    """Return the text of each file by its name.

    `newest` is PyTorch's newest release, which a command without a version is about; `read` the
    day on which the file was read. Raises UnreadableCommandError for a command that is no chain of
    pip commands.
    """
    platform = data.platforms[platform_id]
    sources = {"sources": {_SOURCE: _source(data, read)}}
    options = [
        *_options("stable", platform.stable, newest),
        *_options("preview", platform.preview or Commands.model_construct(), newest),
    ]
    support = {
        "title": "Support channel",
        "url": platform.support_channel,
        "source": _SOURCE,
    }
    guide = "\n".join(_guide(data.html.get(platform_id, "")))
    question = f"## Where to ask?\n\n<{platform.support_channel}> [@{_SOURCE}]\n"
    return {
        "accelerator.yaml": _yaml({**sources, "name": platform.name, "support": [support]}),
        "install.yaml": _yaml({**sources, "options": options}),
        "compatibility.yaml": _yaml({**sources, "rows": list(_rows(options))}),
        "guide.md": f"---\n{_yaml(sources)}---\n\n{guide}",
        "faq.md": f"---\n{_yaml(sources)}---\n\n{question}",
    }


def _source(data: AdditionalPlatforms, read: dt.date) -> dict[str, Any]:
    title = "PyTorch, additional-platforms.json"
    source: dict[str, Any] = {"url": _REPOSITORY, "title": title, "read": read}
    made = _DAY.match(data.generated_at or "")
    if made and dt.date.fromisoformat(made[0]) <= read:
        source["as_of"] = dt.date.fromisoformat(made[0])
    return source


def _options(channel: str, commands: Commands, newest: str) -> Iterator[dict[str, Any]]:
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
            **_serves(channel, steps, newest),
            "methods": ["pip", "uv"],
            "os": names,
            "steps": steps,
            "source": _SOURCE,
        }


def _serves(channel: str, steps: list[dict[str, Any]], newest: str) -> dict[str, Any]:
    """Which torch the steps install: the one they pin, else the newest that the index has."""
    pinned = _pinned(steps, "torch")
    if pinned:
        return {"torch": [pinned]}
    indexes = (_WHEELS.fullmatch(step["pip"].get("index", "")) for step in steps)
    wheels = next((found[1] for found in indexes if found), None)
    torch = {} if wheels and channel == "preview" else {"torch": [newest]}
    return {**({"wheels": wheels} if wheels else {}), **torch}


def _rows(options: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Versions that a stable command pins together."""
    for option in options:
        torch = _pinned(option["steps"], "torch")
        others = [
            r for r in _requirements(option["steps"]) if r.name.startswith(("torch-", "torch_"))
        ]
        plugin = next((version for r in others if (version := _version(r))), None)
        if torch and plugin:
            yield {"torch": torch, "plugin": plugin, "source": _SOURCE}
            return


def _pinned(steps: list[dict[str, Any]], name: str) -> str | None:
    found = (_version(r) for r in _requirements(steps) if r.name == name)
    return next(filter(None, found), None)


def _requirements(steps: list[dict[str, Any]]) -> Iterator[Requirement]:
    for step in steps:
        yield from map(Requirement, step["pip"]["packages"])


def _version(requirement: Requirement) -> str | None:
    pins = [s.version for s in requirement.specifier if s.operator in {"==", "==="}]
    return pins[0] if len(pins) == 1 and "*" not in pins[0] else None


def _guide(html: str) -> Iterator[str]:
    sections: dict[str, list[str]] = {heading: [] for heading in _HEADINGS}
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
        words = f"{text}\n\nFrom pytorch.org" if text else "Not described there"
        yield f"## {title}\n\n{words} [@{_SOURCE}].\n"


def _without_html(line: str) -> str:
    """What looks like HTML in the text, but not in its code, is text."""
    parts = line.split("`")
    parts[::2] = [part.replace("<", "\\<") for part in parts[::2]]
    return "`".join(parts)


def _yaml(data: dict[str, Any]) -> str:
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120))
