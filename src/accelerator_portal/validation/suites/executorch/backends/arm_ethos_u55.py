"""Arm's Ethos-U55: lowered and compiled by Vela here, run on a board or in Arm's simulator only."""

from __future__ import annotations

from importlib import metadata
from typing import Any

from accelerator_portal.validation.executorch.backend import PLAIN, Backend, Recipe
from accelerator_portal.validation.suites.executorch.backends.arm import (
    LEAST_DB,
    lowering,
    quantizer,
)


def _specify() -> Any:
    from executorch.backends.arm.ethosu import EthosUCompileSpec

    return EthosUCompileSpec(
        "ethos-u55-128",
        system_config="Ethos_U55_High_End_Embedded",
        memory_mode="Shared_Sram",
    )


def _version() -> str:
    try:
        return metadata.version("ethos-u-vela")
    except metadata.PackageNotFoundError:
        return "not installed"


BACKEND = Backend(
    name="arm_ethos_u55",
    runtime_name="EthosUBackend",
    version=_version,
    packages=("ethos-u-vela", "tosa-tools"),
    needs="a board with an Ethos-U55, or Arm's simulator Corstone-300",
    recipes=(Recipe(PLAIN, lowering(_specify), quantizer(_specify), sqnr_db=LEAST_DB),),
)
