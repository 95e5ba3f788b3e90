"""`features:` of `accelerator.yaml`: which parts of PyTorch a source says work."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, WithJsonSchema, model_validator

from accelerator_portal.catalog.fields import Line, fault
from accelerator_portal.catalog.sources import Sourced

FeatureId = Literal[
    "amp",
    "bf16",
    "fp8",
    "autograd",
    "sdpa",
    "compile",
    "export",
    "graphs",
    "distributed",
    "fsdp",
    "checkpoint",
    "dataloader",
    "optimizers",
    "quantization",
    "sparse",
    "complex",
    "profiler",
]


def _word(value: object) -> object:
    """YAML takes a bare `yes` for true."""
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


Extent = Annotated[
    Literal["yes", "partly", "no"],
    BeforeValidator(_word),
    WithJsonSchema({"anyOf": [{"enum": ["yes", "partly", "no"]}, {"type": "boolean"}]}),
]


class Feature(Sourced):
    """Whether a part of PyTorch works on a platform, as a source states it."""

    works: Extent
    """`yes`, `partly` or `no`."""
    note: Line | None = None
    """What works and what doesn't, for example `forward only`. Required if `works` is `partly`."""

    @model_validator(mode="after")
    def _says_which_part(self) -> Feature:
        if self.works == "partly" and not self.note:
            raise fault(
                '"partly" has no note that says which part works',
                "add a note with the source's words",
            )
        return self
