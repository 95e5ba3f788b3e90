"""The options of an entry of `additional-platforms.json`, so that they follow PyTorch's releases.

An entry names one release or none. Its options would be out of date with the next one: those with
PyTorch's own wheels follow `data/releases.yaml`, the others the rows of `compatibility.yaml`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from packaging.requirements import Requirement

from accelerator_portal.vendors.draft import Draft, Record
from accelerator_portal.vendors.pins import exact_version, requirements
from accelerator_portal.vendors.release_steps import steps_of_rows


def with_releases(draft: Draft) -> Draft:
    """Return an entry's draft with options that follow releases, and the rows that they need."""
    options: Sequence[Record] = draft.install["options"]
    rows = [*draft.rows] or _rows(options)
    followed = [following_option(option, rows) for option in options]
    return replace(draft, install={**draft.install, "options": followed}, rows=rows)


def following_option(option: Record, rows: Sequence[Record], package: str | None = None) -> Record:
    """Return an option that follows releases where `rows` say of its own what it says.

    `package` is the platform's; by default the plugin that the option pins. An option that pins
    other versions than the rows stays as it is: it may be the only one for its system.
    """
    if option.get("channel") == "preview" or "wheels" in option:
        return _following_wheels(option)
    plugin = pinned_plugin(option)
    version = exact_version(plugin.specifier) if plugin else None
    own = [row for row in rows if [row["torch"]] == option["torch"]]
    if not own or (version and version not in {row.get("plugin") for row in own}):
        return option
    name = package or (plugin.name if plugin else "torch")
    has_plugin = any("plugin" in row for row in rows)
    steps = steps_of_rows(option["steps"], name, has_plugin=has_plugin)
    changed = {**option, "torch": True, "steps": steps}
    return {"compatibility" if key == "torch" else key: changed[key] for key in changed}


def pinned_plugin(option: Record) -> Requirement | None:
    """Return the requirement of a plugin for torch that an option's steps pin."""
    plugins = (r for r in requirements(option["steps"]) if r.name.startswith(("torch-", "torch_")))
    return next((plugin for plugin in plugins if exact_version(plugin.specifier)), None)


def _following_wheels(option: Record) -> Record:
    """The release that the index had is the first; those that come to have such wheels follow."""
    if "torch" not in option:
        return option
    (first,) = option["torch"]
    steps = steps_of_rows(option["steps"], "torch", has_plugin=False)
    return {**option, "torch": f">={first}", "steps": steps}


def _rows(options: Sequence[Record]) -> list[Record]:
    """The release of the first option that needs a row."""
    needing = (o for o in options if o.get("channel") != "preview" and "wheels" not in o)
    first = next(needing, None)
    if first is None or pinned_plugin(first):
        return []  # a plugin that is pinned beside no torch fits a torch that nobody names
    return [{"torch": first["torch"][0], "source": first["source"]}]
