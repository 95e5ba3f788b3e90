"""Reads the power and clock of a device with its vendor's tool, and those of the CPU from Linux.

If a tool is missing, fails or prints another format, no value is reported. If an environment
variable hides devices, a device can have another number in torch than in the tool; the tool is then
not used.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelerator_validation.suites.speed.benchmark import Call, Clock

POWER, CLOCK = "power", "clock"

_TOOL_TIMEOUT_S = 10
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PARSE_ERRORS = (ValueError, LookupError, AttributeError, TypeError, StopIteration)
"""The exceptions that a parser raises if the tool prints another format."""

_POWERCAP = Path("/sys/class/powercap")
_PROCESSORS = Path("/sys/devices/system/cpu")
_WINDOW_S = 0.5  # of a measurement of the processors' power

_SETTLE_S = 0.5
_READINGS = 3


@dataclass(frozen=True, slots=True)
class SensorReading:
    """The power in watts and the clock rate in megahertz of a device; None if unknown."""

    power_w: float | None = None
    clock_mhz: float | None = None

    def __bool__(self) -> bool:
        """Return whether the power or the clock rate is known."""
        return self.power_w is not None or self.clock_mhz is not None


Sensor = Callable[[], SensorReading]


@dataclass(frozen=True, slots=True)
class SensorTool:
    """A vendor's tool: the words of its command, and the function that parses its output.

    `{card}` in `words` stands for the argument `card` of `read_tools`. The tool is not used if one
    of the environment variables in `hidden_by` is set.
    """

    words: tuple[str, ...]
    parse: Callable[[str], SensorReading]
    hidden_by: tuple[str, ...] = ()
    """The environment variables with which devices have other numbers in torch than in the tool."""


def parse_nvidia_smi(text: str) -> SensorReading:
    """Return the reading in the output of `nvidia-smi`, such as `84.91, 1980`."""
    power, clock = text.strip().splitlines()[0].split(",")
    return SensorReading(_parse_number(power), _parse_number(clock))


def parse_amd_smi(text: str) -> SensorReading:
    """Return the reading in the JSON output of `amd-smi metric`.

    The list of devices is the whole output, or its value `gpu_data`.
    """
    data = json.loads(text)
    card = (data["gpu_data"] if isinstance(data, dict) else data)[0]
    return SensorReading(
        _nested_number(card, "power", "socket_power"), _nested_number(card, "clock", "gfx_0", "clk")
    )


def parse_rocm_smi(text: str) -> SensorReading:
    """Return the reading in the JSON output of `rocm-smi`.

    The name of the power depends on the card, such as `Average Graphics Package Power (W)`.
    """
    card = next(iter(json.loads(text).values()))
    power = next((value for name, value in card.items() if "Package Power (W)" in name), "")
    return SensorReading(_parse_number(power), _parse_number(card.get("sclk clock speed:", "")))


def parse_xpu_smi(text: str) -> SensorReading:
    """Return the reading in the output of `xpu-smi dump`, which is CSV.

    The first line has the names of the values, and the last line has the values.
    """
    lines = [line.split(",") for line in text.strip().splitlines()]
    values = {name.strip(): value for name, value in zip(lines[0], lines[-1], strict=True)}
    power, clock = values.get("GPU Power (W)", ""), values.get("GPU Frequency (MHz)", "")
    return SensorReading(_parse_number(power), _parse_number(clock))


def parse_npu_smi(text: str) -> SensorReading:
    """Return the reading in the output of `npu-smi info -t common`.

    The values of the controller chip (`mcu`) are ignored.
    """
    text = re.split(r"Chip Name\s*:\s*mcu", text)[0]
    lines = (line.partition(":") for line in text.splitlines())
    values = {name.strip(): value for name, _, value in lines}
    clock = values.get("Aicore curFreq(MHZ)", values.get("Aicore Freq(MHZ)", ""))
    return SensorReading(
        _parse_number(values.get("NPU Real-time Power(W)", "")), _parse_number(clock)
    )


_CUDA_VARIABLE = "CUDA_VISIBLE_DEVICES"
_ROCM_VARIABLES = (_CUDA_VARIABLE, "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
_LEVEL_ZERO_VARIABLES = ("ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR")
_NVIDIA_QUERY = ("--query-gpu=power.draw,clocks.sm", "--format=csv,noheader,nounits")

SENSOR_TOOLS: Mapping[str, tuple[SensorTool, ...]] = {
    "cuda": (
        SensorTool(
            ("nvidia-smi", "-i", "{card}", *_NVIDIA_QUERY), parse_nvidia_smi, (_CUDA_VARIABLE,)
        ),
    ),
    "rocm": (
        SensorTool(
            ("amd-smi", "metric", "-g", "{card}", "--power", "--clock", "--json"),
            parse_amd_smi,
            _ROCM_VARIABLES,
        ),
        SensorTool(
            ("rocm-smi", "-d", "{card}", "--showpower", "--showclocks", "--json"),
            parse_rocm_smi,
            _ROCM_VARIABLES,
        ),
    ),
    "xpu": (
        SensorTool(
            ("xpu-smi", "dump", "-d", "{card}", "-m", "1,2", "-n", "1"),
            parse_xpu_smi,
            _LEVEL_ZERO_VARIABLES,
        ),
        SensorTool(  # as XPU Manager 2.0 calls its options
            ("xpu-smi", "dump", "-d", "{card}", "--metrics", "1,2", "--number", "1"),
            parse_xpu_smi,
            _LEVEL_ZERO_VARIABLES,
        ),
    ),
    "npu": (
        SensorTool(
            ("npu-smi", "info", "-t", "common", "-i", "{card}"),
            parse_npu_smi,
            ("ASCEND_RT_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES"),
        ),
    ),
}
"""The tools by device type. The key `rocm` is for devices `cuda` with ROCm. The first tool that
returns a value is used."""


def sensor_of(device: str) -> Sensor:
    """Return a function that reads the power and clock of a device, and never raises an error."""
    import torch

    torch_device = torch.device(device)
    if torch_device.type == "cpu":
        return read_processor
    tool_key, card = torch_device.type, str(torch_device.index or 0)
    if tool_key == "cuda" and torch.version.hip:
        tool_key = "rocm"
    elif tool_key == "cuda":  # torch numbers the fastest card first, and nvidia-smi by slot
        uuid = getattr(torch.cuda.get_device_properties(torch_device), "uuid", None)
        if uuid is None:  # older torch: the card cannot be told apart from others
            return SensorReading
        card = f"GPU-{uuid}"
    return lambda: read_tools(SENSOR_TOOLS.get(tool_key, ()), card)


def read_tools(tools: tuple[SensorTool, ...], card: str) -> SensorReading:
    """Return the reading of the first tool that works, or an empty reading if no tool works.

    `card` is the number of the card, from 0; for `nvidia-smi`, it is the card's UUID.
    """
    for tool in tools:
        if any(os.environ.get(name) for name in tool.hidden_by):
            continue
        command = [word.format(card=card) for word in tool.words]
        with suppress(OSError, subprocess.SubprocessError, *_PARSE_ERRORS):
            process = subprocess.run(
                command, capture_output=True, text=True, timeout=_TOOL_TIMEOUT_S, check=True
            )
            if reading := tool.parse(process.stdout):
                return reading
    return SensorReading()


def _parse_number(text: str) -> float | None:
    """Return the number in `84.91`, `34.0 W` or `(1725Mhz)`; None for `[N/A]`."""
    found = _NUMBER.search(str(text))
    return float(found[0]) if found else None


def _nested_number(value: Any, *names: str) -> float | None:
    """Return the number that nested dicts have under the keys `names`.

    The number is a value, `142`, or part of a dict, `{"value": 142, "unit": "W"}`. Returns None for
    `"N/A"`, or if a key is missing.
    """
    for name in (*names, "value"):
        if not isinstance(value, dict):
            break
        value = value.get(name)
    return None if value is None else _parse_number(str(value))


def read_processor(
    powercap: Path = _POWERCAP, processors: Path = _PROCESSORS, window_s: float = _WINDOW_S
) -> SensorReading:
    """Return the power of all processor packages, and the median clock rate of all processors.

    The power is the mean over `window_s` seconds. `powercap` and `processors` are folders of Linux.
    """
    start_energies, start_time = _energy_counters(powercap), time.perf_counter()
    if start_energies:
        time.sleep(window_s)
    used_energies = _used_energies(start_energies, _energy_counters(powercap), powercap)
    seconds = time.perf_counter() - start_time
    power = sum(used_energies) / 1e6 / seconds if used_energies else None
    clocks = list(_processor_clocks(processors))
    return SensorReading(power, statistics.median(clocks) / 1000 if clocks else None)


def _energy_counters(powercap: Path) -> dict[str, int]:
    """Return the energy counter of each processor package in microjoules.

    The keys are the names of folders in `powercap`, such as `intel-rapl:0`. Most systems allow only
    root to read the counters. The result is empty for other users.
    """
    energies = {}
    for zone in sorted(powercap.glob("intel-rapl:[0-9]*")):  # the name is AMD's, too
        if zone.name.count(":") == 1:
            with suppress(OSError, ValueError):
                energies[zone.name] = int((zone / "energy_uj").read_text("ascii"))
    return energies


def _used_energies(
    start_energies: dict[str, int], end_energies: dict[str, int], powercap: Path
) -> list[int]:
    """Return the energy in microjoules that each processor package used between two readings.

    A counter that restarted at the end of its range is corrected. If its range is unknown, the
    result is empty.
    """
    used_energies = []
    for name in start_energies.keys() & end_energies.keys():
        change = end_energies[name] - start_energies[name]
        if change < 0:
            with suppress(OSError, ValueError):
                change += int((powercap / name / "max_energy_range_uj").read_text("ascii"))
        used_energies.append(change)
    return used_energies if min(used_energies, default=-1) >= 0 else []


def _processor_clocks(processors: Path) -> Iterator[int]:
    """Yield the clock rate of each processor in kilohertz. Virtual machines state none."""
    for file in sorted(processors.glob("cpu[0-9]*/cpufreq/scaling_cur_freq")):
        with suppress(OSError, ValueError):
            yield int(file.read_text("ascii"))


def readings_under_load(
    act: Call, clock: Clock, sensor: Sensor, settle_s: float = _SETTLE_S
) -> dict[str, tuple[float, str]]:
    """Repeat the call `act` while a sensor is read several times, and return medians.

    The result has the metrics that are known: `{"power": (84.9, "W"), "clock": (1980, "MHz")}`.
    `settle_s` is the time in seconds before the first reading.
    """
    if not sensor():  # no value is available, so no load is needed
        return {}
    with ThreadPoolExecutor(1) as thread:
        future: Future[list[SensorReading]] = thread.submit(_take_readings, sensor, settle_s)
        while not future.done():
            act()
            clock()
    readings = future.result()
    powers = [sample.power_w for sample in readings if sample.power_w is not None]
    clocks = [sample.clock_mhz for sample in readings if sample.clock_mhz is not None]
    metrics = {POWER: (powers, "W"), CLOCK: (clocks, "MHz")}
    return {
        name: (round(statistics.median(values), 1), unit)
        for name, (values, unit) in metrics.items()
        if values
    }


def _take_readings(sensor: Sensor, settle_s: float) -> list[SensorReading]:
    time.sleep(settle_s)
    return [sensor() for _ in range(_READINGS)]
