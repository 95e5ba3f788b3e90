"""`hardware:` of `accelerator.yaml`: which cards exist, and which builds of PyTorch run on them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from accelerator_portal.catalog.fields import (
    NOT_BOOL,
    Arch,
    Id,
    Line,
    Model,
    Os,
    SourceIds,
    Specifier,
    fault,
    unit,
)
from accelerator_portal.catalog.sources import Sourced

InstanceType = Annotated[Line, Field(max_length=60, pattern=r"^[A-Za-z0-9*][A-Za-z0-9_.*-]+$")]

Purpose = Literal["training", "inference", "edge"]
Purposes = Annotated[tuple[Purpose, ...], Field(min_length=1)]


class Instances(Sourced):
    """Rented machines of one cloud that have a model."""

    cloud: Annotated[Line, Field(max_length=40)]
    """Whose machines they are: `AWS`, `Azure`, `Google Cloud`."""
    types: Annotated[tuple[InstanceType, ...], Field(min_length=1)]
    """Names of the machine types; `*` stands for any letters, digits and hyphens: `g5.*`."""


PeakOf = Literal["memory", "float64", "float32", "bfloat16", "float16"]


class Peak(Sourced):
    """A highest speed that the vendor states for one device."""

    of: PeakOf
    """`memory`: its bandwidth, in GB/s; a data type: dense products of matrices, in TFLOP/s."""
    value: Annotated[
        float, Field(gt=0, le=10_000_000, json_schema_extra=unit("GB/s or TFLOP/s")), NOT_BOOL
    ]
    """The figure."""


class HardwareModel(Model):
    """A card, chip or rented machine that a reader may have; every value is the vendor's own."""

    name: Annotated[Line, Field(max_length=80)]
    """The name under which it is sold."""
    also: Annotated[tuple[Line, ...], Field(min_length=1)] | None = None
    """Other names: what tools print, code names."""
    instances: Annotated[tuple[Instances, ...], Field(min_length=1)] | None = None
    """Rented machines that have it."""
    memory_gb: (
        Annotated[float, Field(gt=0, le=100_000, json_schema_extra=unit("GB")), NOT_BOOL] | None
    ) = None
    """Memory of one device in gigabytes, as the vendor states it; absent for shared memory."""
    memory: Line | None = None
    """Kind of memory, or what qualifies it: `HBM3`, `shared with the processor`."""
    power_w: (
        Annotated[float, Field(gt=0, le=100_000, json_schema_extra=unit("W")), NOT_BOOL] | None
    ) = None
    """Highest power of one device in watts, as the vendor states it (board power, TDP)."""
    power: Line | None = None
    """What the figure means or leaves out."""
    peaks: Annotated[tuple[Peak, ...], Field(min_length=1)] | None = None
    """Highest speeds as the vendor states them: measured ones are shown as a share of them."""
    purpose: Purposes | None = None
    """What the vendor says it is for."""
    note: Line | None = None
    """A qualification."""
    source: SourceIds | None = None
    """Where the values come from, if not where the generation does."""


class BuildSupport(Sourced):
    """Builds that hold code for a generation."""

    variants: Annotated[tuple[Id, ...], Field(min_length=1)] | None = None
    """Ids of the variants in `install.yaml`; absent: every one."""
    torch: Specifier | None = None
    """PyTorch releases; absent: every one that is published."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """Operating systems whose builds hold the code; absent: every one."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)] | None = None
    """Processor architectures whose builds hold the code; absent: every one."""
    note: Line | None = None
    """A qualification: limits, whether the vendor supports it or it merely runs."""


class Generation(Sourced):
    """Hardware that the same builds serve: a generation, or one chip of it."""

    name: Annotated[Line, Field(max_length=60)]
    """The generation or family, as the vendor calls it."""
    chip: Annotated[Line, Field(max_length=40)] | None = None
    """What tells builds apart: compute capability, gfx target, name of the chip."""
    also: Annotated[tuple[Line, ...], Field(min_length=1)] | None = None
    """Other names of the generation or chip, `sm_70`."""
    vendor: Line | None = None
    """Who makes it, if not the platform's vendor."""
    builds: tuple[BuildSupport, ...]
    """Which builds run on it; none (`[]`) where no published build does."""
    note: Line | None = None
    """A qualification; where no build runs on it, why, and since when."""
    models: Annotated[tuple[HardwareModel, ...], Field(min_length=1)]
    """What a reader may have."""

    @model_validator(mode="after")
    def _says_why_not(self) -> Generation:
        if not self.builds and not self.note:
            what = f'no build runs on "{self.name}", and there is no note'
            raise fault(what, "add builds, or a note that says why and since when")
        return self


class Hardware(Model):
    """The hardware of one platform, newest generation first."""

    chip: Annotated[Line, Field(max_length=40)] | None = None
    """What `chip` is called here: `Compute capability`, `LLVM target`."""
    note: Line | None = None
    """A qualification of the whole list, such as what it leaves out."""
    generations: Annotated[tuple[Generation, ...], Field(min_length=1)]
    """The generations."""
