"""Drafts a new platform's folder from a vendor's answers, so that the folder passes the check."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from typing import Any

from packaging.version import Version

from accelerator_portal.vendors.document_answers import project_page
from accelerator_portal.vendors.draft import Draft, Hint, PlatformCase, Record, plugin_by_release
from accelerator_portal.vendors.draft_from_entry import following_option, steps_with_placeholders
from accelerator_portal.vendors.questions import DOCUMENTATION_SOURCE, PACKAGE_SOURCE


def draft_from_answers(case: PlatformCase) -> Draft:
    """Return the draft of a platform's folder. The case must answer all required questions."""
    return Draft(
        sources=dict(_sources(case)),
        accelerator=_accelerator_record(case),
        install=_install_record(case),
        rows=list(_compatibility_rows(case)),
        guide=guide_sections(case),
        questions=faq_questions(case),
        hints=list(_hints(case)),
    )


def _sources(case: PlatformCase) -> Iterator[tuple[str, Record]]:
    read_day: dt.date = case.value("read")
    url = case.value("url")
    yield DOCUMENTATION_SOURCE, {"url": url, "title": case.value("title"), "read": read_day}
    if case.package:
        package_text = f"{case.package.name[:100]} {(case.package.version or '')[:60]}".strip()
        title = f"{package_text}, the metadata of the package itself"
        page_url = project_page(case.package) or url
        yield PACKAGE_SOURCE, {"url": page_url, "title": title, "read": case.today}
    if case.entry:
        yield from case.entry.sources.items()


def _accelerator_record(case: PlatformCase) -> Record:
    plain_fields = {
        flag: case.value(flag) for flag in ("name", "vendor", "mark", "summary", "description")
    }
    package = {"name": case.value("package"), "import": case.value("import")}
    if case.value("autoload"):
        package["autoload"] = case.value("autoload") == "yes"
    record: dict[str, Any] = {
        **plain_fields,
        "integration": _value_with_source(case, "integration"),
        "dispatch_key": _value_with_source(case, "dispatch-key"),
        "device": {**_value_with_source(case, "device"), **_device_note(case)},
        "package": {**package, **_source_of_answers(case, "package", "import", "autoload")},
        "documentation": list(_documentation_links(case)),
        "support": [_support_link(case)],
    }
    if case.entry:
        record["additional_platform"] = case.entry.accelerator["additional_platform"]
    if case.value("maintainer"):
        source = _source_of_answers(case, "maintainer")
        record["maintainers"] = [{"github": login, **source} for login in case.value("maintainer")]
    return record


def _documentation_links(case: PlatformCase) -> Iterator[Record]:
    yield {
        "title": case.value("title"),
        "url": case.value("url"),
        **_source_of_answers(case, "url"),
    }
    if name := case.value("github"):
        url = f"https://github.com/{name}"
        yield {"title": f"{name} on GitHub", "url": url, **_source_of_answers(case, "github")}


def _support_link(case: PlatformCase) -> Record:
    url, repository = case.value("support"), case.value("github")
    is_repository = repository and url == f"https://github.com/{repository}/issues"
    title = f"Issues of {repository}" if is_repository else f"Questions about {case.value('name')}"
    return {"title": title, "url": url, **_source_of_answers(case, "support")}


def _install_record(case: PlatformCase) -> Record:
    record: dict[str, Any] = {}
    if case.value("needs"):
        record["requires"] = [{"name": case.value("needs"), **_source_of_answers(case, "needs")}]
    record["options"] = list(_install_options(case))
    return record


def _install_options(case: PlatformCase) -> Iterator[Record]:
    arch, python = list(case.value("arch") or ()), list(case.value("python") or ())
    rows = [*_compatibility_rows(case)] if case.entry_options else []
    for entry_option in case.entry_options:
        option = following_option(entry_option, rows, case.value("package"))
        if "wheels" in option:  # their architectures and Python versions are in data/releases.yaml
            yield option
            continue
        added_sources = {case.source("arch"), case.source("python")} - {option["source"]}
        source = [option["source"], *sorted(added_sources)]
        yield {**option, "arch": arch, "python": python, "source": source}
    if case.value("command"):
        yield {
            "id": "pip",
            "compatibility": True,
            "methods": ["pip"],
            "os": list(case.value("os")),
            "arch": arch,
            "steps": _option_steps(case),
            **_source_of_answers(case, "command", "os", "arch"),
        }


def _option_steps(case: PlatformCase) -> list[Record]:
    has_plugin = bool(case.value("plugin-version"))
    return [*steps_with_placeholders(case.steps, case.value("package"), has_plugin=has_plugin)]


def _compatibility_rows(case: PlatformCase) -> Iterator[Record]:
    if case.entry and case.entry.rows:
        yield from case.entry.rows
        return
    plugins, python = plugin_by_release(case), case.value("python")
    for version in sorted(dict.fromkeys(case.value("torch")), key=Version, reverse=True):
        plugin = plugins.get(version)
        yield {
            "torch": version,
            **({"plugin": plugin} if plugin else {}),
            **({"python": list(python)} if python else {}),
            **_source_of_answers(case, "torch", "plugin-version", "python"),
        }


def _value_with_source(case: PlatformCase, flag: str) -> Record:
    return {"value": case.value(flag), **_source_of_answers(case, flag)}


def _device_note(case: PlatformCase) -> Record:
    return {"note": case.value("device-note")} if case.value("device-note") else {}


def _source_of_answers(case: PlatformCase, *flags: str) -> dict[str, Any]:
    """Return the sources of the answers to the questions `flags`: `{"source": "documentation"}`.

    If the answers have several sources, the value is a list of source ids.
    """
    source_ids = list(dict.fromkeys(case.source(flag) for flag in flags if flag in case.answers))
    return {"source": source_ids[0] if len(source_ids) == 1 else source_ids}


def _hints(case: PlatformCase) -> Iterator[Hint]:
    yield Hint("accelerator.yaml", "hardware: the supported devices, and the builds for each")
    yield Hint("accelerator.yaml", "operating_systems: the supported operating systems")
    yield Hint("accelerator.yaml", "identify: a command that shows which device a machine has")
    yield Hint(
        "accelerator.yaml", "features: PyTorch features that work, work partly or don't work"
    )
    if not case.value("maintainer"):
        yield Hint("accelerator.yaml", "maintainers: GitHub logins of the maintainers")
    if case.steps:
        yield Hint("install.yaml", "checks: a check to run after installation, with its output")
    else:
        yield Hint("install.yaml", "options: the install commands, when packages are available")
    if not case.value("needs"):
        yield Hint("install.yaml", "requires: required driver and SDK, with versions")
    if case.value("command") and _option_steps(case) != case.steps:
        yield Hint("install.yaml", "steps: versions come from compatibility.yaml")
    if case.value("command"):
        yield Hint("install.yaml", "methods: add uv when it has been tested")
    yield Hint("compatibility.yaml", "rows: one for each other release, with needs and includes")
    yield from _guide_hints(case)
    yield Hint(
        "faq.md", "frequent questions, each with its source", next(iter(faq_questions(case)))
    )


def _guide_hints(case: PlatformCase) -> Iterator[Hint]:
    """Yield a hint for each guide section that `case.entry` lacks, but not for the section Help."""
    hints = {
        "Prepare": "required setup of the machine, step by step",
        "Install": "details that the install commands don't cover",
        "Start": "a first program and its output",
        "Deploy": "multiple devices, serving, containers",
    }
    entry_sections = case.entry.guide if case.entry else {}
    yield from (Hint("guide.md", hints[h], h) for h in hints if h not in entry_sections)


# The minimal guide and FAQ that the answers support.
#
# The platform's name, the vendor and the title are not in these texts: they could be Markdown.


def guide_sections(case: PlatformCase) -> Mapping[str, str]:
    """Return the guide's sections, written from answers, as Markdown by heading.

    If `case.entry` has a section with the same heading, its text is used instead.
    """
    page_link = f"<{_escaped_address(case.value('url'))}> [@{DOCUMENTATION_SOURCE}]"
    package = f"the package `{case.value('package')}`, imported as `{case.value('import')}`"
    install = f"The commands above are for {package}."
    if not case.steps:
        install = f"The portal does not have an install command yet for {package}."
    sections = {
        "Prepare": f"Set up the machine as described in the vendor's documentation:\n{page_link}.",
        "Install": f"{install}\nThe vendor's page: {page_link}.",
        "Start": f"{_start_section(case)}\n\nThe vendor's page: {page_link}.",
        "Deploy": f"This section is not written yet. The vendor's documentation:\n{page_link}.",
        "Help": f"Questions go to <{_escaped_address(case.value('support'))}> "
        f"[@{case.source('support')}].",
    }
    return {**sections, **(case.entry.guide if case.entry else {})}


def faq_questions(case: PlatformCase) -> Mapping[str, str]:
    """Return the answers of the FAQ, by question. The only question is where to get support."""
    address, source = case.value("support"), case.source("support")
    return {"Where to ask?": f"<{_escaped_address(address)}> [@{source}]"}


def _start_section(case: PlatformCase) -> str:
    """Return Markdown with code that imports the required modules and creates the device."""
    device, module = _python_literal(case.value("device")), case.value("import")
    needs_import = module != "torch" and case.value("autoload") != "yes"
    imports = "import torch\n" + (f"import {module}\n" if needs_import else "")
    return f"```python\n{imports}\ndevice = torch.device({device})\n```"


def _python_literal(text: str) -> str:
    """Return a Python string literal; `[` is escaped so that it cannot start a citation."""
    return json.dumps(text, ensure_ascii=False).replace("[", "\\x5b")


def _escaped_address(url: str) -> str:
    """Return an address for use in `<…>`; brackets are escaped so that they cannot be citations."""
    return url.replace("[", "%5B").replace("]", "%5D")
