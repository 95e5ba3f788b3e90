"""Drafts a platform's folder from its entry in pytorch.org's `additional-platforms.json`.

Values that the entry does not state, such as architectures, are omitted. `accelerator-portal check`
reports those that are required.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from markdownify import ATX, markdownify
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog.files.releases_file import Releases
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.markdown_file import GUIDE_HEADINGS
from accelerator_portal.install.additional_platforms import AdditionalPlatforms, Commands
from accelerator_portal.install.pip_command import pip_steps
from accelerator_portal.vendors.draft import Draft, Record

ENTRY_SOURCE = "additional-platforms"
_REPOSITORY = "https://github.com/pytorch/pytorch.github.io"
_WHEEL_INDEX = re.compile(r"https://download\.pytorch\.org/whl/(?:nightly/)?([a-z0-9.]+)/?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

# The portal's headings by those of pytorch.org's guides; other sections stay in the one above.
_SECTIONS = {
    "prerequisites": "Prepare",
    "installation": "Install",
    "verification": "Start",
    "documentation": "Help",
}


def folder_name(platform_id: str) -> str:
    """Return the folder name for an id in `additional-platforms.json`: `a_b` becomes `a-b`."""
    return platform_id.replace("_", "-")


def draft_from_entry(
    data: AdditionalPlatforms, platform_id: str, releases: Releases, read: dt.date
) -> Draft:
    """Return the draft of a folder from the entry `platform_id` of `additional-platforms.json`.

    `releases` are the known PyTorch releases. If an option's command pins no torch version, the
    option's release is chosen from them (see `_release_selection`). `read` is the day on which the
    file was read. Raises UnreadableCommandError if a command is not a chain of pip commands, and
    KeyError if there is no entry `platform_id`.
    """
    platform = data.platforms[platform_id]
    options = [
        *_install_options("stable", platform.stable, releases),
        *_install_options("preview", platform.preview or Commands.model_construct(), releases),
    ]
    support = {"title": "Support channel", "url": platform.support_channel, "source": ENTRY_SOURCE}
    return Draft(
        sources={ENTRY_SOURCE: _source_record(data, read)},
        accelerator={
            "name": platform.name,
            "support": [support],
            "additional_platform": {"id": platform_id, "source": ENTRY_SOURCE},
        },
        install={"options": options},
        rows=list(_compatibility_rows(options)),
        guide=dict(_guide_sections(data.html.get(platform_id, ""))),
        questions={"Where to ask?": f"<{platform.support_channel}> [@{ENTRY_SOURCE}]"},
    )


def _source_record(data: AdditionalPlatforms, read_day: dt.date) -> dict[str, Any]:
    title = "PyTorch, additional-platforms.json"
    source: dict[str, Any] = {"url": _REPOSITORY, "title": title, "read": read_day}
    generated_day = _day_of_timestamp(data.generated_at or "")
    if generated_day and generated_day <= read_day:
        source["as_of"] = generated_day
    return source


def _day_of_timestamp(moment: str) -> dt.date | None:
    """Return the date at the start of a timestamp; None if it is not a valid date."""
    match = _DAY.match(moment)
    try:
        return dt.date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None


def _install_options(
    channel: str, commands: Commands, releases: Releases
) -> Iterator[dict[str, Any]]:
    """Yield an install option for each distinct command in `commands`.

    An option has all operating systems that use its command. `channel` is `stable` or `preview`.
    The options have no architectures, because `additional-platforms.json` does not state them.
    """
    commands_by_os = (("linux", commands.linux), ("windows", commands.windows))
    systems = grouped((command, os) for os, command in commands_by_os if command)
    for command, names in systems.items():
        steps = pip_steps(command)
        yield {
            "id": "-".join([channel, *names]),
            **({"channel": "preview"} if channel == "preview" else {}),
            **_release_selection(channel, steps, releases),
            "methods": ["pip", "uv"],
            "os": names,
            "steps": steps,
            "source": ENTRY_SOURCE,
        }


def _release_selection(
    channel: str, steps: list[dict[str, Any]], releases: Releases
) -> dict[str, Any]:
    """Return the keys `torch` and `wheels` of an install option, which select PyTorch releases.

    - If the steps pin a torch version, `torch` has this version: `{"torch": ["2.9.0"]}`.
    - If they use PyTorch's index of a variant, `wheels` is the variant: `{"wheels": "cu130"}`. In
      the channel `stable`, `torch` also has the `_newest_release` with wheels of this variant.
    - Otherwise, `torch` has the newest release.
    """
    version = pinned_version(steps, "torch")
    if version:
        return {"torch": [version]}
    index_matches = (_WHEEL_INDEX.fullmatch(step["pip"].get("index", "")) for step in steps)
    wheels = next((match[1] for match in index_matches if match), None)
    torch = (
        {} if wheels and channel == "preview" else {"torch": [_newest_release(releases, wheels)]}
    )
    return {**({"wheels": wheels} if wheels else {}), **torch}


def _newest_release(releases: Releases, wheels: str | None) -> str:
    """Return the newest release with wheels of the variant `wheels`.

    If no release has such wheels, returns the newest release.
    """
    matching = [r for r in releases.releases if any(wheel.variant == wheels for wheel in r.wheels)]
    return max(matching or releases.releases, key=lambda r: Version(r.version)).version


def _compatibility_rows(options: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row of compatibility.yaml from the first option that pins both torch and a plugin.

    The row has the two pinned versions. If no option pins both, nothing is yielded.
    """
    for option in options:
        torch = pinned_version(option["steps"], "torch")
        plugin = pinned_plugin_requirement(option)
        if torch and plugin:
            version = exact_version(plugin.specifier)
            yield {"torch": torch, "plugin": version, "source": ENTRY_SOURCE}
            return


def _guide_sections(html: str) -> Iterator[tuple[str, str]]:
    """Yield the heading and the Markdown of each guide section in `html` that is not empty."""
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
            lines.append(line.rstrip() if fenced else _with_escaped_html(line.rstrip()))
    for title, section_lines in sections.items():
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(section_lines)).strip()
        if text:
            yield title, f"{text}\n\nFrom pytorch.org [@{ENTRY_SOURCE}]."


def _with_escaped_html(line: str) -> str:
    """Return a line with `<` escaped outside code spans."""
    parts = line.split("`")
    parts[::2] = [part.replace("<", "\\<") for part in parts[::2]]
    return "`".join(parts)


# Makes an install option follow PyTorch's releases.
#
# A command pins at most one release, so its option would be out of date with the next release.
# Options for PyTorch's own wheels or for nightly builds follow `data/releases.yaml`, the others the
# rows of `compatibility.yaml`.


def following_option(option: Record, rows: Sequence[Record], package: str | None = None) -> Record:
    """Return a copy of an install option with placeholders in place of pinned versions.

    The versions then come from `rows`, the rows of compatibility.yaml. If the option has `wheels`
    or is for nightly builds, they come from `data/releases.yaml`. `package` is the platform's
    package, by default the plugin that the option pins. If no row has the versions that the option
    pins, the option is returned unchanged, because it may be the only option for its system.
    """
    if option.get("channel") == "preview" or "wheels" in option:
        return _following_wheels(option)
    plugin = pinned_plugin_requirement(option)
    version = exact_version(plugin.specifier) if plugin else None
    torch_rows = [row for row in rows if [row["torch"]] == option["torch"]]
    if not torch_rows or (version and version not in {row.get("plugin") for row in torch_rows}):
        return option
    package_name = package or (plugin.name if plugin else "torch")
    has_plugin = any("plugin" in row for row in rows)
    steps = steps_with_placeholders(option["steps"], package_name, has_plugin=has_plugin)
    new_option = {**option, "torch": True, "steps": steps}
    return {"compatibility" if key == "torch" else key: new_option[key] for key in new_option}


def pinned_plugin_requirement(option: Record) -> Requirement | None:
    """Return the first pinned requirement whose name starts with `torch-` or `torch_`, or None."""
    plugins = (
        r for r in step_requirements(option["steps"]) if r.name.startswith(("torch-", "torch_"))
    )
    return next((plugin for plugin in plugins if exact_version(plugin.specifier)), None)


def _following_wheels(option: Record) -> Record:
    """Return a copy of an option that covers its torch release and all later ones: `>=2.9.0`.

    An option without `torch` is returned unchanged.
    """
    if "torch" not in option:
        return option
    (torch_version,) = option["torch"]
    steps = steps_with_placeholders(option["steps"], "torch", has_plugin=False)
    return {**option, "torch": f">={torch_version}", "steps": steps}


_PIN = re.compile(r"={2,3}\s*([^,;\s+]+)")


def steps_with_placeholders(
    steps: Iterable[Mapping[str, Any]], package: str, *, has_plugin: bool
) -> list[dict[str, Any]]:
    """Return pip steps with placeholders for the versions of torch and `package`.

    For example, `torch==2.9.0` and `torch` become `torch=={torch}`. The rows of compatibility.yaml
    later fill the placeholders. `has_plugin` says whether these rows state versions of `package`;
    if it is false, only torch gets a placeholder. Specifiers such as `>=2.9` do not change, nor do
    steps that install pre-releases (`pre`).
    """
    placeholders = {"torch": "torch"}
    if has_plugin and canonicalize_name(package) != "torch":
        placeholders[canonicalize_name(package)] = "plugin"
    return [_following_step(step, placeholders) for step in steps]


def _following_step(step: Mapping[str, Any], placeholders: Mapping[str, str]) -> dict[str, Any]:
    pip = step["pip"]
    if pip.get("pre"):
        return dict(step)  # the newest nightly build is what such a command asks for
    packages = [_requirement_text(text, placeholders) for text in pip["packages"]]
    return {**step, "pip": {**pip, "packages": packages}}


def _requirement_text(text: str, placeholders: Mapping[str, str]) -> str:
    requirement = Requirement(text)
    placeholder = placeholders.get(canonicalize_name(requirement.name))
    if placeholder is None:
        return text
    if not requirement.specifier and not requirement.url:
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        marker = f"; {requirement.marker}" if requirement.marker else ""
        return f"{requirement.name}{extras}=={{{placeholder}}}{marker}"
    if len(requirement.specifier) == 1 and "*" not in text:
        return _PIN.sub(f"=={{{placeholder}}}", text, count=1)
    return text


def step_requirements(steps: Iterable[Mapping[str, Any]]) -> Iterator[Requirement]:
    """Yield the requirements that pip steps install, such as `torch==2.9.0`."""
    for step in steps:
        yield from map(Requirement, step["pip"]["packages"])


def pinned_version(steps: Iterable[Mapping[str, Any]], name: str) -> str | None:
    """Return the version to which pip steps pin the package `name`, or None."""
    package = canonicalize_name(name)
    pins = (r.specifier for r in step_requirements(steps) if canonicalize_name(r.name) == package)
    return next(filter(None, map(exact_version, pins)), None)


def exact_version(specifier: SpecifierSet) -> str | None:
    """Return the version that a specifier pins: `2.9.0` for `==2.9.0` or `===2.9.0`.

    None if the specifier pins no version or several, or if the version contains `*`.
    """
    pins = [s.version for s in specifier if s.operator in {"==", "==="}]
    return pins[0] if len(pins) == 1 and "*" not in pins[0] else None
