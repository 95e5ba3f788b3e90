"""What tells the power and the clock of a device: one table of the vendors' tools.

A tool that is absent, fails or prints something else tells nothing, and nothing is reported. The
number of a device in torch is its number in a tool only while no variable hides devices.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from accelerator_portal.validation.suites.speed.processor_sensors import read_processor
from accelerator_portal.validation.suites.speed.reading import Sensor, SensorReading

_LIMIT_S = 10
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class SensorTool:
    """A vendor's program; `{index}` in its words stands for the number of the device."""

    words: tuple[str, ...]
    parse: Callable[[str], SensorReading]
    hidden_by: tuple[str, ...] = ()
    """Variables that give devices other numbers in torch than in the tool."""


def parse_nvidia_smi(text: str) -> SensorReading:
    """Read `84.91, 1980` of `--format=csv,noheader,nounits`."""
    power, clock = text.strip().splitlines()[0].split(",")
    return SensorReading(_number(power), _number(clock))


def parse_amd_smi(text: str) -> SensorReading:
    """Read the JSON of `amd-smi metric`; releases wrap the list of devices, or do not."""
    found = json.loads(text)
    card = (found["gpu_data"] if isinstance(found, dict) else found)[0]
    return SensorReading(
        _within(card, "power", "socket_power"), _within(card, "clock", "gfx_0", "clk")
    )


def parse_rocm_smi(text: str) -> SensorReading:
    """Read the JSON of `rocm-smi`, whose names differ between kinds of cards."""
    card = next(iter(json.loads(text).values()))
    power = next((value for name, value in card.items() if "Package Power (W)" in name), "")
    return SensorReading(_number(power), _number(card.get("sclk clock speed:", "")))


def parse_xpu_smi(text: str) -> SensorReading:
    """Read the last line of `xpu-smi dump` by the names in the first."""
    lines = [line.split(",") for line in text.strip().splitlines()]
    values = {name.strip(): value for name, value in zip(lines[0], lines[-1], strict=True)}
    power, clock = values.get("GPU Power (W)", ""), values.get("GPU Frequency (MHz)", "")
    return SensorReading(_number(power), _number(clock))


def parse_npu_smi(text: str) -> SensorReading:
    """Read `npu-smi info -t common`; what belongs to the board's controller comes after `mcu`."""
    text = re.split(r"Chip Name\s*:\s*mcu", text)[0]
    lines = (line.partition(":") for line in text.splitlines())
    values = {name.strip(): value for name, _, value in lines}
    clock = values.get("Aicore curFreq(MHZ)", values.get("Aicore Freq(MHZ)", ""))
    return SensorReading(_number(values.get("NPU Real-time Power(W)", "")), _number(clock))


_CUDA, _ROCM = "CUDA_VISIBLE_DEVICES", ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
_LEVEL_ZERO = ("ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR")
_NVIDIA_QUERY = ("--query-gpu=power.draw,clocks.sm", "--format=csv,noheader,nounits")

SENSOR_TOOLS: Mapping[str, tuple[SensorTool, ...]] = {
    "cuda": (
        SensorTool(("nvidia-smi", "-i", "{index}", *_NVIDIA_QUERY), parse_nvidia_smi, (_CUDA,)),
    ),
    "rocm": (
        SensorTool(
            ("amd-smi", "metric", "-g", "{index}", "--power", "--clock", "--json"),
            parse_amd_smi,
            (_CUDA, *_ROCM),
        ),
        SensorTool(
            ("rocm-smi", "-d", "{index}", "--showpower", "--showclocks", "--json"),
            parse_rocm_smi,
            (_CUDA, *_ROCM),
        ),
    ),
    "xpu": (
        SensorTool(
            ("xpu-smi", "dump", "-d", "{index}", "-m", "1,2", "-n", "1"), parse_xpu_smi, _LEVEL_ZERO
        ),
        SensorTool(  # as XPU Manager 2.0 calls its options
            ("xpu-smi", "dump", "-d", "{index}", "--metrics", "1,2", "--number", "1"),
            parse_xpu_smi,
            _LEVEL_ZERO,
        ),
    ),
    "npu": (
        SensorTool(
            ("npu-smi", "info", "-t", "common", "-i", "{index}"),
            parse_npu_smi,
            ("ASCEND_RT_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES"),
        ),
    ),
}
"""Tools by platform, the first that answers counts."""


def sensor_of(device: str) -> Sensor:
    """Return what reads the power and the clock of a device; it never raises."""
    import torch

    place = torch.device(device)
    if place.type == "cpu":
        return read_processor
    name = "rocm" if place.type == "cuda" and torch.version.hip else place.type
    return lambda: read_tools(SENSOR_TOOLS.get(name, ()), place.index or 0)


def read_tools(tools: tuple[SensorTool, ...], index: int) -> SensorReading:
    """Return what the first tool that answers says of a device."""
    for tool in tools:
        if any(os.environ.get(name) for name in tool.hidden_by):
            continue
        words = [word.format(index=index) for word in tool.words]
        with suppress(OSError, subprocess.SubprocessError, *_UNREADABLE):
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=_LIMIT_S, check=True
            )
            if found := tool.parse(done.stdout):
                return found
    return SensorReading()


_UNREADABLE = (ValueError, LookupError, AttributeError, TypeError, StopIteration)
"""What a parser raises where a tool prints something else than it did."""


def _number(text: str) -> float | None:
    """Return the number in `84.91`, `34.0 W` or `(1725Mhz)`; None for `[N/A]`."""
    found = _NUMBER.search(str(text))
    return float(found[0]) if found else None


def _within(found: Any, *names: str) -> float | None:
    """Return the number of `{"value": 142, "unit": "W"}` under these names; None for `"N/A"`."""
    for name in (*names, "value"):
        if not isinstance(found, dict):
            break
        found = found.get(name)
    return None if found is None else _number(str(found))
