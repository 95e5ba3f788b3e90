"""Names the cards of the install selector and says whether builds run on them.

A card of the selector is one generation of a platform's hardware.
"""

from __future__ import annotations

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.files.hardware import Generation
from accelerator_portal.catalog.message import message
from accelerator_portal.site.anchors import Anchors, slug


def cards_by_id(platform: Platform) -> dict[str, Generation]:
    """Return a platform's hardware generations by id, such as `volta-7-0`.

    The id consists of the generation's name and chip. If two generations have the same id, a number
    is appended. Links to the install selector have it in the parameter `card`.
    """
    hardware = platform.accelerator.hardware
    anchors = Anchors()
    return {
        anchors.take(slug(f"{g.name} {g.chip or ''}")): g
        for g in (hardware.generations if hardware else ())
    }


def card_name(platform: Platform, generation: Generation) -> str:
    """Return a generation's name with its chip: `Volta (Compute capability 7.0)`."""
    hardware = platform.accelerator.hardware
    if not generation.chip or not hardware:
        return generation.name
    chip = f"{hardware.chip} {generation.chip}" if hardware.chip else generation.chip
    return f"{generation.name} ({chip})"


def card_remark(generation: Generation) -> str:
    """Return the remark that the install selector shows for the cards of a generation.

    If builds need a JetPack release, the remark names the oldest sufficient release. Otherwise, if
    it is uncertain whether any build runs on the cards, the remark says so. Otherwise, the remark
    is empty.
    """
    if generation.jetpack:
        return message("The builds need JetPack {version} or newer.", version=generation.jetpack)
    if is_uncertain(generation):
        return message("It is not certain that the builds run on this hardware.")
    return ""


def is_uncertain(generation: Generation) -> bool:
    """Return whether a generation has builds, and all that may compute are marked as uncertain."""
    builds = [build for build in generation.builds if build.reaches == "computes"]
    return bool(builds) and all(build.uncertain for build in builds)
