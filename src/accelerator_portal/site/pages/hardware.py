"""Builds the page of the hardware of every platform, and which PyTorch releases run on it.

The hardware is listed by generation: a group of cards that the same builds support.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product
from urllib.parse import urlencode

from pydantic import SkipValidation

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.accelerator import (
    BuildSupport,
    Generation,
    HardwareModel,
    Identify,
    Reach,
)
from accelerator_portal.catalog.files.shared_files import FinderWords
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.catalog.message import message, or_list, semicolon_list
from accelerator_portal.catalog.schema import slug
from accelerator_portal.install.hardware_support import (
    HardwareSupport,
    ReleaseProducts,
    ReleaseSupport,
    hardware_support,
    products_by_release,
)
from accelerator_portal.install.rows import ARCH_LABELS, OS_LABELS
from accelerator_portal.site.plots import (
    NARROW,
    WIDE,
    Axes,
    Bar,
    Dot,
    Frame,
    Plot,
    PlotAxis,
    bar_panel,
    scatter_plot,
)
from accelerator_portal.site.results.speeds import newest_runs, speed_table
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import PLATFORMS, SiteFile, data_file
from accelerator_portal.site.text_formats import Anchors, format_number, prose_list
from accelerator_reports.files.fields import Arch, Integration, Os, StrictModel
from accelerator_reports.files.sources import Source, sources_by_id


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


WSL = "WSL2"

_FAILING_STEPS: Mapping[Reach | None, str] = {
    "loads": message("loads, but basic operations are reported to fail"),
    "installs": message("installs, but does not find the device"),
}

# Drivers, systems and Python packages: readers do not choose PyTorch by them.
_IGNORED_SOFTWARE = re.compile(r"driver|^(macOS|numpy|torchvision|Windows.*)$", re.IGNORECASE)


class GenerationData(StrictModel):
    """One hardware generation: cards that the same builds support, and what these builds offer."""

    name: str
    """Name of the generation or family."""
    chip: str | None = None
    """The name that builds use for the hardware, such as `7.0` for compute capability 7.0."""
    also: tuple[str, ...] | None = None
    """Other names of the generation or chip."""
    vendor: str | None = None
    """The company that makes the hardware, if not the platform's vendor."""
    arch: Arch | None = None
    """The processor architecture of machines with this hardware, if all have the same."""
    systems: tuple[Os, ...] | None = None
    """The operating systems of the generation's builds. Absent if there are no builds, or if any
    build is for all systems."""
    jetpack: str | None = None
    """The oldest JetPack release that the generation's builds run on."""
    page: str
    """Address of the generation on the platform's page, from the root of the site."""
    verdict: ReleaseSupport
    """`newest`: the platform's newest release supports it. `earlier`: only older releases
    support it. `preview`: only nightly builds support it. `no-command`: a build supports it, but
    the portal has no command for the build. `none`: no published build computes on it."""
    reaches: Reach | None = None
    """How far builds of the newest release get, or any build if none computes: `installs` if they
    don't find the device, `loads` if basic operations fail. Absent if there is no such build."""
    passed_over: str | None = None
    """The platform's newest release with an install command, if only older releases compute."""
    inference_only: bool = False
    """Whether the newest build is supported for inference only."""
    uncertain: bool = False
    """Whether it is in doubt that the newest build runs on this hardware; a note says why."""
    other_builds: str | None = None
    """Address of the answer about builds for which this site has no install command, from the root
    of the site."""
    words: SkipValidation[str]  # validation would drop the translatable message
    """The verdict in a few words."""
    oldest: str | None = None
    """The oldest release that runs on this hardware. Releases without an install command count only
    if no release that runs on it has one."""
    newest: str | None = None
    """The newest release that runs on this hardware. Releases without an install command count only
    if no release that runs on it has one."""
    variants: tuple[str, ...] = ()
    """Ids of the variants of the newest release, preferred first."""
    install: str | None = None
    """The selector's address for this hardware, from the site's root. Absent without a command."""
    notes: tuple[str, ...] = ()
    """Remarks on the generation and on the builds of the newest release."""
    other_notes: tuple[str, ...] = ()
    """Remarks on other builds that compute on this hardware."""
    failures: tuple[str, ...] = ()
    """Remarks on builds that install, but don't compute on this hardware: what fails."""
    note_machines: dict[str, tuple[str, ...]] | None = None
    """The machines to which remarks in `notes` apply, by remark, such as `windows` or
    `linux aarch64`. Remarks that apply to all machines are absent."""
    models: tuple[HardwareModel, ...]
    """The cards."""
    source: tuple[str, ...]
    """Ids of the sources of the generation and of its builds."""


class FittingSoftware(StrictModel):
    """Versions that work together, from a row of the platform's version table."""

    torch: str
    """The PyTorch release."""
    software: dict[str, str]
    """Versions of the plugin's package and of its required software, by name, without drivers and
    operating systems."""


class ListedSystem(StrictModel):
    """An operating system that sources list for the platform."""

    name: str
    """Name and version, as in the source."""
    os: Os
    """The operating system family."""
    note: str | None = None
    """The platform's note about the operating system."""


class PlatformHardware(StrictModel):
    """The hardware of one platform."""

    id: str
    """Id of the platform."""
    name: str
    """Name of the platform."""
    vendor: str
    """The company that makes the hardware."""
    vendor_names: tuple[str, ...] = ()
    """Other names of the vendor and its products, such as those in Chinese characters."""
    integration: Integration
    """`in-tree` or `out-of-tree`."""
    dispatch_key: str
    """PyTorch's dispatch key."""
    device: str
    """The argument of `torch.device()`."""
    lifecycle: str | None = None
    """`maintenance` or `retired`; absent for a platform that is developed."""
    chip: str | None = None
    """The label of the values of `chip` in `generations`, for example `Compute capability`."""
    note: str | None = None
    """A remark on the whole list of hardware."""
    identify: tuple[Identify, ...]
    """Commands that show the card of a machine."""
    generations: tuple[GenerationData, ...]
    """The generations, newest first."""
    operating_systems: tuple[ListedSystem, ...] = ()
    """Operating systems that sources list."""
    wsl: str | None = None
    """What to know before installing in WSL2."""
    wsl_answer: str | None = None
    """Address of the answer about hardware that builds do not find in WSL2, from the root of the
    site."""
    fits: tuple[FittingSoftware, ...] = ()
    """Versions of the plugin and of the vendor's software that work together, newest first."""
    releases: tuple[ReleaseProducts, ...] = ()
    """How many of the cards PyTorch's own builds of each release support, oldest release first.
    Empty if what is stated about the builds doesn't tell the releases apart."""
    sources: dict[str, Source]
    """The sources that the hardware data cites, by id."""

    @property
    def models(self) -> tuple[HardwareModel, ...]:
        """The cards of all generations."""
        return tuple(model for generation in self.generations for model in generation.models)

    @property
    def families(self) -> tuple[Family, ...]:
        """The generations in groups with the same name, in the order of `generations`."""
        return tuple(
            Family(name, tuple(members))
            for name, members in groupby(self.generations, key=lambda g: g.name)
        )


@dataclass(frozen=True, slots=True)
class Family:
    """Generations with the same name, which differ in their chip."""

    name: str
    generations: tuple[GenerationData, ...]

    @property
    def chips(self) -> tuple[str, ...]:
        """The chips of the generations that name a chip, in the order of the generations."""
        return tuple(g.chip for g in self.generations if g.chip)

    @property
    def models(self) -> int:
        """The number of cards of all generations."""
        return sum(len(g.models) for g in self.generations)

    @property
    def words(self) -> tuple[str, ...]:
        """What the generations' `words` say, each once: doubts and limits are never left out."""
        return tuple(dict.fromkeys(g.words for g in self.generations))


class HardwareData(StrictModel):
    """The hardware of each platform that lists hardware."""

    platforms: tuple[PlatformHardware, ...]
    """The platforms, in-tree first and then by name."""
    words: FinderWords = FinderWords()
    """Words that readers type in addition to the name of hardware."""


TRANSLATED = ("hardware.md",)
SCHEMAS = {"hardware": HardwareData}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page."""
    hardware = hardware_data(site.catalog)
    names = {platform.id: platform.name for platform in hardware.platforms}
    dots = _memory_dots(hardware)
    context = {
        "hardware": hardware,
        "speeds": speed_table(newest_runs(site.speed_runs)),
        "speed_suites": sorted({suite for run in site.speed_runs for suite in run.suites}),
        "count": sum(len(platform.models) for platform in hardware.platforms),
        "plotted": len(dots),
        "memory_plots": [plot for width in (WIDE, NARROW) if (plot := _memory_plot(dots, width))],
        "release_plots": release_plots(site.catalog, hardware),
        "unconfirmed": [release for release in site.catalog.releases.releases if release.note],
        "platform_names": names,
        "without": [p.accelerator.name for p in site.catalog.platforms if p.id not in names],
    }
    yield Page("hardware.md", context)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON file of the hardware of every platform."""
    yield data_file("hardware.json", hardware_data(site.catalog))


@cached_by_owner
def hardware_data(catalog: Catalog) -> HardwareData:
    """Return the hardware of every platform that lists hardware."""
    words = catalog.finder_words or FinderWords()
    return HardwareData(platforms=tuple(_platform_hardware(catalog)), words=words)


_OWN_SERIES = 3
"""The number of platforms, those with most products, that have a shape of their own in a plot."""

_MEMORY_TICKS = tuple(2.0**n for n in range(12))
_POWER_TICKS = (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 900, 1400, 2000)
_GIGABYTES_PER_WATT = (0.05, 0.2, 1.0)


def _memory_dots(hardware: HardwareData) -> tuple[tuple[str, HardwareModel], ...]:
    """Return the cards whose memory and power are stated, each with the name of its platform."""
    return tuple(
        (platform.name, model)
        for platform in hardware.platforms
        for model in platform.models
        if model.memory_gb and model.power_w
    )


def _memory_plot(cards: tuple[tuple[str, HardwareModel], ...], width: int) -> Plot | None:
    counts = Counter(platform for platform, _ in cards)
    own = [platform for platform, _ in counts.most_common(_OWN_SERIES)]
    dots = [
        Dot(
            model.power_w,
            model.memory_gb,
            own.index(platform) if platform in own else len(own),
            model.name,
            message(
                "{product} ({platform}): {memory} GB, {power} W",
                product=model.name,
                platform=platform,
                memory=format_number(model.memory_gb),
                power=format_number(model.power_w),
            ),
        )
        for platform, model in cards
        if model.memory_gb and model.power_w
    ]
    if not dots:
        return None
    most = max(dots, key=lambda dot: dot.y)
    best = max(dots, key=lambda dot: dot.y / dot.x)
    # The best by either measure, then platforms with few products, then the largest.
    dots.sort(key=lambda dot: (dot not in (most, best), dot.series < len(own), -dot.y, dot.x))
    frame = Frame(
        "memory-power",
        message("Memory and maximum power of the models"),
        message(
            "Most memory: {most}. Most memory per watt: {best}.", most=most.words, best=best.words
        ),
    )
    return scatter_plot(
        frame,
        [*own, *([message("other platforms")] if len(counts) > len(own) else ())],
        dots,
        Axes(
            PlotAxis(
                message("maximum power in W (logarithmic)"), _POWER_TICKS if width == WIDE else ()
            ),
            PlotAxis(message("memory in GB (logarithmic)"), _MEMORY_TICKS),
            {ratio: f"{ratio:g} GB/W" for ratio in _GIGABYTES_PER_WATT},
        ),
        width,
    )


def release_plots(catalog: Catalog, hardware: HardwareData) -> tuple[Plot, ...]:
    """Return a plot for each platform: how many of its products each PyTorch release supports."""
    plots = (
        _release_plot(catalog, platform) for platform in hardware.platforms if platform.releases
    )
    return tuple(plot for plot in plots if plot)


def _release_plot(catalog: Catalog, platform: PlatformHardware) -> Plot | None:
    all_products = len(platform.models)
    counts = {release.torch: release for release in platform.releases}
    bars = []
    for release in reversed(catalog.releases.releases):
        found = counts.get(release.version)
        bars.append(
            Bar(
                release.version.removesuffix(".0"),
                found.products if found else None,
                _products_words(found, all_products) if found else "",
                is_open=release.note is not None,
                more=found.uncertain if found else 0,
            )
        )
    frame = Frame(
        f"releases-{platform.id}",
        platform.name,
        semicolon_list(_products_words(release, all_products) for release in platform.releases),
    )
    axis = PlotAxis(
        message("models, of {count}", count=f"{all_products:,}"),
        (0, all_products),
    )
    return bar_panel(frame, bars, axis, (0, all_products))


def _products_words(release: ReleaseProducts, all_products: int) -> str:
    words = message(
        "PyTorch {release}: {number} of {all}",
        release=release.torch,
        number=f"{release.products:,}",
        all=f"{all_products:,}",
    )
    if release.uncertain:
        return message("{words}, {number} more not certain", words=words, number=release.uncertain)
    return words


def _platform_hardware(catalog: Catalog) -> Iterator[PlatformHardware]:
    for platform in catalog.platforms:
        accelerator = platform.accelerator
        if accelerator.hardware is None:
            continue
        generations = tuple(
            _generation_data(catalog, platform, generation, card)
            for card, generation in cards_by_id(platform).items()
        )
        models = [model for generation in generations for model in generation.models]
        source_ids = [name for command in accelerator.identify for name in command.source]
        source_ids += [name for generation in generations for name in generation.source]
        source_ids += [name for model in models for name in model.source or ()]
        source_ids += [
            name for m in models for instance in m.instances or () for name in instance.source
        ]
        source_ids += [name for m in models for peak in m.peaks or () for name in peak.source]
        wsl = next((os for os in accelerator.operating_systems if os.name == WSL), None)
        yield PlatformHardware.from_objects(
            accelerator.hardware,
            accelerator,
            id=platform.id,
            integration=accelerator.integration.value,
            dispatch_key=accelerator.dispatch_key.value,
            device=accelerator.device.value,
            lifecycle=accelerator.lifecycle.value if accelerator.lifecycle else None,
            generations=generations,
            operating_systems=tuple(
                ListedSystem.from_objects(system) for system in accelerator.operating_systems
            ),
            wsl=wsl.note if wsl else None,
            wsl_answer=_answer_address(platform, wsl.question if wsl else None),
            fits=tuple(_fitting_software(platform)),
            releases=products_by_release(catalog, platform),
            sources=sources_by_id(accelerator.sources, source_ids),
        )


def _fitting_software(platform: Platform) -> Iterator[FittingSoftware]:
    package = platform.accelerator.package
    for row in platform.compatibility.rows:
        plugin = {package.name: row.plugin} if row.plugin and package.name != "torch" else {}
        needs = {name: row.needs[name] for name in row.needs if not _IGNORED_SOFTWARE.search(name)}
        if software := plugin | needs:
            yield FittingSoftware(torch=row.torch, software=software)


def _generation_data(
    catalog: Catalog, platform: Platform, generation: Generation, card: str
) -> GenerationData:
    support = hardware_support(catalog, platform, generation)
    computing = [build for build in generation.builds if build.reaches == "computes"]
    newest_builds = [b for b in computing if not b.variants or {*b.variants} & {*support.variants}]
    other_builds = [build for build in computing if build not in newest_builds]
    failing = [build for build in generation.builds if build not in computing]
    source_ids = [
        *generation.source,
        *(name for build in generation.builds for name in build.source),
    ]
    return GenerationData.from_objects(
        generation,
        support,
        page=f"{PLATFORMS}/{platform.id}/#card-{card}",
        systems=_build_systems(generation),
        other_builds=_answer_address(
            platform, generation.other_builds.question if generation.other_builds else None
        ),
        words=_support_words(platform, support),
        install=_selector_address(platform, card, support),
        notes=_distinct_notes(
            generation.note, *(_build_note(platform, build) for build in newest_builds)
        ),
        other_notes=_distinct_notes(*(_build_note(platform, build) for build in other_builds)),
        failures=_distinct_notes(*(_build_note(platform, build) for build in failing)),
        note_machines=_note_machines(platform, newest_builds),
        source=tuple(dict.fromkeys(source_ids)),
    )


def _answer_address(platform: Platform, question: str | None) -> str | None:
    return f"{PLATFORMS}/{platform.id}/#faq-{slug(question)}" if question else None


def _build_systems(generation: Generation) -> tuple[Os, ...] | None:
    builds = generation.builds
    if not all(build.os for build in builds):
        return None
    return tuple(dict.fromkeys(os for build in builds for os in build.os or ())) or None


def _distinct_notes(*notes: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for note in notes if note))


def _build_note(platform: Platform, build: BuildSupport) -> str | None:
    """Return the note of a build, after the names of the build's variants: `CUDA 12.6: …`.

    If the build has no variants, the note is returned unchanged. None if the build has no note.
    """
    if not (build.note and build.variants):
        return build.note
    names = _variant_names(platform)
    return f"{prose_list([names[variant] for variant in build.variants])}: {build.note}"


def _note_machines(
    platform: Platform, builds: list[BuildSupport]
) -> dict[str, tuple[str, ...]] | None:
    """Return the machines to which the notes of builds apply, by note.

    Machines are, for example, `windows` or `linux aarch64`. Notes that apply to all machines are
    omitted. None if no note remains.
    """
    machines_by_note: dict[str, list[str]] = {}
    notes_with_builds = [
        (note, build) for build in builds if (note := _build_note(platform, build))
    ]
    unlimited_notes = {note for note, build in notes_with_builds if not build.os and not build.arch}
    for note, build in notes_with_builds:
        if note not in unlimited_notes:
            machines = product(build.os or OS_LABELS, *([build.arch] if build.arch else []))
            machines_by_note.setdefault(note, []).extend(map(" ".join, machines))
    return {note: tuple(machines) for note, machines in machines_by_note.items()} or None


def _variant_names(platform: Platform) -> dict[str, str]:
    return {variant.id: variant.name for variant in platform.install.variants}


def _support_words(platform: Platform, support: HardwareSupport) -> str:
    if support.verdict == "none":
        return _FAILING_STEPS.get(support.reaches, message("no published build"))
    if support.verdict == "no-command":
        if not support.newest:
            return message("no install command on this site")
        return message("{release}, no install command on this site", release=support.newest)
    names = _variant_names(platform)
    words = support.newest or message("nightly builds only")
    if support.variants:
        variants = or_list(names[variant] for variant in support.variants)
        words = message("{build} with {variants}", build=words, variants=variants)
    words = _with_systems(words, support)
    if support.from_source:
        words = message("{build}, from source", build=words)
    if support.passed_over:
        words = _passed_over_message(words, support)
    if support.inference_only:
        words = message("{build}; inference only", build=words)
    if support.uncertain:
        words = message("{build}; not certain", build=words)
    return words


def _passed_over_message(words: str, support: HardwareSupport) -> str:
    release = support.passed_over
    if support.reaches == "loads":
        return message(
            "{build}; newer builds load, but basic operations are reported to fail", build=words
        )
    if support.reaches == "installs":
        return message("{build}; {release} does not find the device", build=words, release=release)
    return message("{build}; no install command for {release}", build=words, release=release)


def _with_systems(words: str, support: HardwareSupport) -> str:
    """Return `words`, which name a build, with the systems to which the build is limited.

    For example, `2.9.0` becomes `2.9.0, Linux only`. If other systems have other releases, the text
    names them, too: `2.9.0 for Linux, 2.8.0 for Windows`. If the build is not limited, `words` is
    returned unchanged.
    """
    systems = " ".join(
        (OS_LABELS.get(support.os or "", ""), ARCH_LABELS.get(support.arch or "", ""))
    ).strip()
    if not systems:
        return words
    if not support.elsewhere:
        return message("{build}, {systems} only", build=words, systems=systems)
    words = message("{build} for {systems}", build=words, systems=systems)
    for os, build in support.elsewhere:
        words = message("{words}, {build} for {os}", words=words, build=build, os=OS_LABELS[os])
    return words


def _selector_address(platform: Platform, card: str, support: HardwareSupport) -> str | None:
    """Return the address of the install selector for a card: `?platform=cuda&card=volta-7-0`.

    The address contains `os` and `arch` if the newest build for the card is limited to an operating
    system or architecture. It contains `build` if the selector offers this build only on request.
    None if the portal has no command for the card.
    """
    if support.build is None or support.verdict == "no-command":
        return None
    query = {"platform": platform.id, "card": card}
    query |= {axis: value for axis in ("os", "arch") if (value := getattr(support, axis))}
    if support.on_request:
        query["build"] = support.build
    return f"?{urlencode(query)}"


def models_with_build(platform: Platform) -> Iterator[HardwareModel]:
    """Yield the hardware models of a platform for which there is a PyTorch build."""
    hardware = platform.accelerator.hardware
    for generation in hardware.generations if hardware else ():
        if generation.builds:
            yield from generation.models
