"""Models `hardware` in `accelerator.yaml`: cards, and the PyTorch builds that run on each card."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_reports.files.fields import (
    NOT_BOOL,
    Arch,
    Flag,
    Id,
    Line,
    Os,
    SourceIds,
    Specifier,
    StrictModel,
    Title,
    validation_error,
)
from accelerator_reports.files.sources import Sourced

InstanceType = Annotated[Line, Field(max_length=60, pattern=r"^[A-Za-z0-9*][A-Za-z0-9_.*-]+$")]

Purpose = Literal["training", "inference", "edge"]
Purposes = Annotated[tuple[Purpose, ...], Field(min_length=1)]


class Instances(Sourced):
    """Instance types of one cloud provider with this hardware."""

    cloud: Annotated[Line, Field(max_length=40)]
    """The cloud provider: `AWS`, `Azure` or `Google Cloud`."""
    types: Annotated[tuple[InstanceType, ...], Field(min_length=1)]
    """Names of instance types. `*` matches any letters, digits and hyphens, as in `g5.*`."""


PeakOf = Literal["memory", "float64", "float32", "bfloat16", "float16"]


class Peak(Sourced):
    """Peak performance of one device as the vendor states it."""

    of: PeakOf
    """What is stated: `memory` for the memory bandwidth, or a data type for the speed of dense
    matrix products."""
    value: Annotated[
        float, Field(gt=0, le=10_000_000, json_schema_extra={"unit": "GB/s or TFLOP/s"}), NOT_BOOL
    ]
    """The stated figure, in GB/s for `memory` and in TFLOP/s for a data type."""


class HardwareModel(StrictModel):
    """A card, chip or cloud instance. All values are stated by the vendor."""

    name: Annotated[Title, Field(max_length=80)]
    """Product name as the vendor writes it, for example `Arc B580`."""
    also: Annotated[tuple[Title, ...], Field(min_length=1)] | None = None
    """Other names of the hardware, such as code names and names that tools print.

    A name with `#` for a digit or `*` for any words is only searched for, never shown.
    """
    instances: Annotated[tuple[Instances, ...], Field(min_length=1)] | None = None
    """Cloud instances with this hardware."""
    memory_gb: (
        Annotated[float, Field(gt=0, le=100_000, json_schema_extra={"unit": "GB"}), NOT_BOOL] | None
    ) = None
    """Memory of one device in gigabytes, as the vendor states it. Omit it for shared memory."""
    memory: Line | None = None
    """Type of memory, for example `HBM3` or `shared with the processor`."""
    power_w: (
        Annotated[float, Field(gt=0, le=100_000, json_schema_extra={"unit": "W"}), NOT_BOOL] | None
    ) = None
    """Highest power of one device in watts, as the vendor states it (board power, TDP)."""
    power: Line | None = None
    """How the vendor defines `power_w`, for example `TDP with air cooling`."""
    peaks: Annotated[tuple[Peak, ...], Field(min_length=1)] | None = None
    """Peak performance as the vendor states it. Measured speeds are shown as a share of it."""
    arch: Arch | None = None
    """The processor architecture of a machine, board or superchip, if there is only one."""
    purpose: Purposes | None = None
    """What the vendor offers the hardware for: training, inference or edge devices."""
    note: Line | None = None
    """A note that is shown to readers."""
    source: SourceIds | None = None
    """Ids of the sources of the values, if they differ from those of the generation."""


Reach = Literal["installs", "loads", "computes"]
"""How far a build gets on a device: it installs, it finds the device, basic operations work."""


class BuildSupport(Sourced):
    """Builds for a hardware generation, and how far they get on it."""

    variants: Annotated[tuple[Id, ...], Field(min_length=1)] | None = None
    """Ids of the variants in `install.yaml` that this is about. Default: all variants."""
    torch: Specifier | None = None
    """PyTorch releases that this is about, as a version specifier such as `>=2.9`. Default: all
    published releases."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """Operating systems of the builds. Default: all."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)] | None = None
    """Processor architectures of the builds. Default: all."""
    reaches: Reach = "computes"
    """How far the builds get: `installs` if they don't find the device, `loads` if they find it,
    but basic operations fail or give wrong results, `computes` if basic operations work. The portal
    offers only builds that compute. For the other values, say in `note` what fails."""
    inference_only: Flag = False
    """`true` if the builds are supported for inference, but not for training."""
    images: Flag = True
    """`false` if the container images in `install.yaml` are for other hardware."""
    uncertain: Flag = False
    """`true` if sources disagree about whether these builds run on the hardware, or none says it.
    Explain this in `note`."""
    note: Line | None = None
    """Limits of the support, for example whether the vendor supports the hardware officially."""

    @model_validator(mode="after")
    def _check_note_about_doubts(self) -> BuildSupport:
        if self.uncertain and not self.note:
            raise validation_error(
                "uncertain builds have no note", "add a note that says what the sources say"
            )
        if self.reaches != "computes" and not self.note:
            raise validation_error(
                f'builds that reach only "{self.reaches}" have no note', "say in a note what fails"
            )
        return self


class OtherBuilds(Sourced):
    """Builds without an install command in the portal. `faq.md` says how to install them."""

    question: Line
    """The heading of the question in `faq.md` whose answer says how to install the builds."""


class Generation(Sourced):
    """Hardware that is supported by the same builds: a generation, or one chip of it."""

    name: Annotated[Title, Field(max_length=60)]
    """Name of the generation or family, as the vendor writes it, for example `Ada Lovelace`."""
    chip: Annotated[Title, Field(max_length=40)] | None = None
    """The name that builds use for the hardware: compute capability, gfx target or chip name."""
    also: Annotated[tuple[Title, ...], Field(min_length=1)] | None = None
    """Other names of the generation or chip, for example `sm_70`."""
    vendor: Title | None = None
    """The manufacturer, if it isn't the platform's vendor."""
    arch: Arch | None = None
    """The processor architecture of machines with this hardware, if they all have the same one."""
    jetpack: Annotated[Line, Field(pattern=r"^\d+(\.\d+)*$")] | None = None
    """For NVIDIA Jetson modules: the oldest JetPack release that the builds run on, for example
    `6.1`."""
    builds: tuple[BuildSupport, ...]
    """Builds for the hardware. Write `[]` if no published build has code for it."""
    other_builds: OtherBuilds | None = None
    """Builds for the hardware without an install command in the portal."""
    note: Line | None = None
    """A note for readers. If no build runs on the hardware, state why and since when."""
    models: Annotated[tuple[HardwareModel, ...], Field(min_length=1)]
    """Cards, chips or cloud instances of the generation."""

    @model_validator(mode="after")
    def _check_note_without_builds(self) -> Generation:
        if not self.builds and not self.note:
            what = f'no build runs on "{self.name}", and there is no note'
            raise validation_error(what, "add builds, or a note that says why and since when")
        return self


class Hardware(StrictModel):
    """The hardware of one platform, newest generation first."""

    chip: Annotated[Title, Field(max_length=40)] | None = None
    """What the values of `chip` in `generations` are, for example `Compute capability` or `LLVM
    target`."""
    note: Line | None = None
    """A note on the whole list, for example which hardware is not listed."""
    generations: Annotated[tuple[Generation, ...], Field(min_length=1)]
    """The hardware generations."""
