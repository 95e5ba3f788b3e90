"""Derives or suggests answers about a new platform, from documents and from earlier answers."""

from __future__ import annotations

import re
from collections.abc import Callable

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from accelerator_portal.vendors.answer_faults import AnswerFault, answer_fault
from accelerator_portal.vendors.draft import PlatformCase
from accelerator_portal.vendors.draft_from_entry import exact_version, pinned_version
from accelerator_portal.vendors.questions import (
    DOCUMENTATION_SOURCE,
    PACKAGE_SOURCE,
    QUESTION_BY_FLAG,
    Answer,
    RefusedAnswerError,
    read_answer,
)

AnswerTexts = tuple[str, ...]
"""Possible answers as a user would type them, the preferred one first."""


def derived_answer(case: PlatformCase, flag: str) -> Answer | None:
    """Return the answer to the question `flag` that documents or earlier answers imply, or None.

    Documents are package metadata and the entry in `additional-platforms.json`. If the user has
    already answered the question and then gone back, the user's former answer is returned.
    """
    offer = case.offers.get(flag)
    if offer and not answer_fault(case, flag, offer.value):
        return offer
    derive = _DERIVE_BY_FLAG.get(flag)
    source, texts = derive(case) if derive else (DOCUMENTATION_SOURCE, ())
    for text in texts:
        try:
            value = read_answer(QUESTION_BY_FLAG[flag], text)
        except RefusedAnswerError:
            continue  # too long, as a rule; the next is shorter
        if not answer_fault(case, flag, value):
            return Answer(value, source)
    return None


def refused_offer(case: PlatformCase, flag: str) -> AnswerFault:
    """Return what is wrong with the answer that a document offers, and the fix; None if nothing."""
    offer = case.offers.get(flag)
    return answer_fault(case, flag, offer.value) if offer else None


def suggested(case: PlatformCase, flag: str) -> str | None:
    """Return a likely answer to the question `flag`, which the user must confirm, or None."""
    if flag == "import":
        return re.sub(r"[^A-Za-z0-9_]", "_", case.value("package") or "") or None
    return {
        "dispatch-key": "PrivateUse1",
        "host-owner": case.value("vendor"),
        "integration": "out-of-tree",
        "os": "linux",
        "arch": "x86_64",
    }.get(flag)


def _derive_integration(case: PlatformCase) -> tuple[str, AnswerTexts]:
    """Return a source id and the answer `out-of-tree`, or no answer if the package is torch.

    A package other than torch is installed on top of PyTorch. For torch, or without a package, the
    second item is an empty tuple.
    """
    package = case.value("package")
    if package and canonicalize_name(package) != "torch":
        return case.source("package"), ("out-of-tree",)
    return DOCUMENTATION_SOURCE, ()


def _derive_torch(case: PlatformCase) -> tuple[str, AnswerTexts]:
    options = case.entry_options
    if options and "torch" in options[0]:
        return options[0]["source"], (",".join(options[0]["torch"]),)
    pin = pinned_version(case.steps, "torch")
    if not pin and case.package and case.package.torch:
        return PACKAGE_SOURCE, _text_tuple(exact_version(case.package.torch))
    return DOCUMENTATION_SOURCE, _text_tuple(pin and pin.partition("+")[0])


def _derive_plugin_version(case: PlatformCase) -> tuple[str, AnswerTexts]:
    """Return a source id and the plugin version, or an empty tuple instead of a version.

    The version is the one that the install command pins. If the command pins none, it is the
    version in the package's metadata, provided that the metadata requires torch and allows all
    torch releases in the answers. If `pins_one_of_several` is true, there is no version.
    """
    package = case.package
    pin = pinned_plugin_version(case)
    if pins_one_of_several(case):
        return DOCUMENTATION_SOURCE, ()
    if pin or not package or not package.torch or not package.version:
        return DOCUMENTATION_SOURCE, _text_tuple(pin)
    is_admitted = all(package.torch.contains(version) for version in case.value("torch") or ())
    return PACKAGE_SOURCE, (package.version,) if is_admitted else ()


def _derive_python(case: PlatformCase) -> tuple[str, AnswerTexts]:
    """Return a source id and the Python versions that the package supports, joined by commas.

    Only Python versions that a torch release in the answers supports are considered. Free-threaded
    Pythons are omitted, because package metadata cannot state them. If the metadata states no
    Python versions, the second item is an empty tuple.
    """
    specifier = case.package.python if case.package else None
    if specifier is None:
        return DOCUMENTATION_SOURCE, ()
    releases = case.catalog.releases.by_version
    pythons = [p for v in case.value("torch") or () if v in releases for p in releases[v].python]
    fitting = [
        p for p in dict.fromkeys(pythons) if not p.endswith("t") and _admits_python(specifier, p)
    ]
    return PACKAGE_SOURCE, (",".join(fitting),)


def _derive_support(case: PlatformCase) -> tuple[str, AnswerTexts]:
    name = case.value("github")
    return DOCUMENTATION_SOURCE, (f"https://github.com/{name}/issues",) if name else ()


def _derive_mark(case: PlatformCase) -> tuple[str, AnswerTexts]:
    words = re.findall(r"[A-Za-z0-9]+", case.value("name") or "") + case.id.split("-")
    initials = "".join(word[0] for word in words)
    return DOCUMENTATION_SOURCE, (
        (words[0][:2] if len(words[0]) > 1 else (initials * 2)[:2]).upper(),
    )


def _derive_summary(case: PlatformCase) -> tuple[str, AnswerTexts]:
    name, vendor, package = (case.value(flag) or "" for flag in ("name", "vendor", "package"))
    subject = name if vendor in name else f"{name} by {vendor}"
    support_text = f"used from PyTorch through the package {package}."
    if case.value("integration") == "in-tree":
        support_text = "supported by PyTorch itself."
    stated_summary = (case.package.summary or "",) if case.package else ()
    return DOCUMENTATION_SOURCE, (
        *stated_summary,
        f"{subject}, {support_text}",
        f"{name}, {support_text}",
        f"{name} and PyTorch.",
    )


def _derive_description(case: PlatformCase) -> tuple[str, AnswerTexts]:
    summary = str(case.value("summary")).rstrip(".")
    device, key, needs = (case.value(flag) for flag in ("device", "dispatch-key", "needs"))
    text = f"{summary}. PyTorch calls the device {device}. Its dispatch key is {key}."
    needs_text = f" Install this first: {needs}." if needs else ""
    return DOCUMENTATION_SOURCE, (text + needs_text, text, f"{summary}.")


def _derive_title(case: PlatformCase) -> tuple[str, AnswerTexts]:
    return DOCUMENTATION_SOURCE, (f"{case.value('name')}, the vendor's documentation",)


def _derive_read(case: PlatformCase) -> tuple[str, AnswerTexts]:
    return DOCUMENTATION_SOURCE, (case.today.isoformat(),)


def pins_one_of_several(case: PlatformCase) -> bool:
    """Return whether the install command fits only one of the PyTorch releases in the answers.

    This is the case if it pins torch and the platform's package, but the answers have several
    releases.
    """
    several = len(case.value("torch") or ()) > 1
    return several and bool(pinned_version(case.steps, "torch") and pinned_plugin_version(case))


def pinned_plugin_version(case: PlatformCase) -> str | None:
    """Return the version to which the install command pins the platform's package, or None."""
    return pinned_version(case.steps, case.value("package") or "")


def _text_tuple(text: str | None) -> AnswerTexts:
    return (text,) if text else ()


def _admits_python(specifier: SpecifierSet, python: str) -> bool:
    """Return whether a specifier allows the minor version `python`, such as `3.12`.

    The specifier must allow patch release 0 or 99, which stand for the first and the latest patch
    release of the minor version.
    """
    return specifier.contains(f"{python}.0") or specifier.contains(f"{python}.99")


_DERIVE_BY_FLAG: dict[str, Callable[[PlatformCase], tuple[str, AnswerTexts]]] = {
    "integration": _derive_integration,
    "torch": _derive_torch,
    "plugin-version": _derive_plugin_version,
    "python": _derive_python,
    "support": _derive_support,
    "mark": _derive_mark,
    "summary": _derive_summary,
    "description": _derive_description,
    "title": _derive_title,
    "read": _derive_read,
}
