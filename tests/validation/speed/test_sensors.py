"""What vendors' tools print, as it was recorded, and what is made of it.

The recorded lines are those of the vendors' documents or of monitoring programs' own tests, as
public repositories had them on 2026-11-22. None was run on a card here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from accelerator_validation.suites.speed.sensors import (
    SENSOR_TOOLS,
    SensorReading,
    parse_amd_smi,
    parse_npu_smi,
    parse_nvidia_smi,
    parse_rocm_smi,
    parse_xpu_smi,
    read_processor,
    read_tools,
    sensor_of,
)

# `--format=csv,noheader,nounits`; "[N/A]" stands for what a card cannot tell.
NVIDIA = {
    "4.56, 180\n": SensorReading(4.56, 180),
    "123.5, [N/A]\n": SensorReading(123.5, None),
    "[N/A], [N/A]\n": SensorReading(),
}

# `amd-smi metric --json`: the list of devices, or the list in "gpu_data".
_MI300 = {
    "gpu": 0,
    "power": {"socket_power": {"value": 214, "unit": "W"}, "gfx_voltage": "N/A"},
    "clock": {"gfx_0": {"clk": {"value": 132, "unit": "MHz"}}, "gfx_1": "N/A"},
}
AMD = {
    json.dumps([_MI300]): SensorReading(214, 132),
    json.dumps({"gpu_data": [_MI300]}): SensorReading(214, 132),
    json.dumps([{**_MI300, "clock": "N/A"}]): SensorReading(214, None),
}

# `rocm-smi --json`: the name of the power depends on what the card measures.
ROCM = {
    '{"card0": {"Average Graphics Package Power (W)": "35.0", "sclk clock speed:": "(1725Mhz)"}}': (
        SensorReading(35, 1725)
    ),
    '{"card0": {"Current Socket Graphics Package Power (W)": "142.0"}}': SensorReading(142, None),
}

# The user guide of Intel XPU Manager 1.x; the column of utilization is left out.
XPU = {
    "Timestamp, DeviceId, GPU Power (W), GPU Frequency (MHz)\n06:14:46.000,    0, 14.61,    0\n": (
        SensorReading(14.61, 0)
    ),
    "Timestamp, DeviceId, GPU Power (W), GPU Frequency (MHz)\n06:14:46.000, 0, N/A, 400\n": (
        SensorReading(None, 400)
    ),
}

# Recorded of an Ascend 910B, and of a card whose controller alone knows the power.
_NPU = """
NPU ID                         : 0
Chip Count                     : 1

Chip ID                        : 0
Aicore Usage Rate(%)           : 0
Aicore Freq(MHZ)               : 1000
Aicore curFreq(MHZ)            : 960
Temperature(C)                 : 46
{power}
Chip Name                      : mcu
Temperature(C)                 : 48
NPU Real-time Power(W)         : 45.2
"""
NPU = {
    _NPU.format(power="NPU Real-time Power(W)         : 69.0\n"): SensorReading(69, 960),
    _NPU.format(power=""): SensorReading(None, 960),
}


@pytest.mark.parametrize(
    ("parse", "recorded"),
    [
        (parse_nvidia_smi, NVIDIA),
        (parse_amd_smi, AMD),
        (parse_rocm_smi, ROCM),
        (parse_xpu_smi, XPU),
        (parse_npu_smi, NPU),
    ],
)
def test_recorded_output_is_read(parse: object, recorded: dict[str, SensorReading]) -> None:
    assert callable(parse)
    for text, reading in recorded.items():
        assert parse(text) == reading


def program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is all of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in {name for tools in SENSOR_TOOLS.values() for t in tools for name in t.hidden_by}:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_tool_is_asked_for_the_device_that_computes(tools: Path) -> None:
    program(tools, "nvidia-smi", '[ "$1 $2" = "-i 3" ] && echo "84.91, 1980"')
    assert read_tools(SENSOR_TOOLS["cuda"], "3") == SensorReading(84.91, 1980)
    assert not read_tools(SENSOR_TOOLS["cuda"], "0")


def test_the_second_tool_is_asked_where_the_first_is_absent_or_fails(tools: Path) -> None:
    program(tools, "rocm-smi", f"echo '{next(iter(ROCM))}'")
    assert read_tools(SENSOR_TOOLS["rocm"], "0") == SensorReading(35, 1725)
    program(tools, "amd-smi", "exit 1")
    assert read_tools(SENSOR_TOOLS["rocm"], "0") == SensorReading(35, 1725)
    program(tools, "amd-smi", f"echo '{next(iter(AMD))}'")
    assert read_tools(SENSOR_TOOLS["rocm"], "0") == SensorReading(214, 132)


@pytest.mark.parametrize("name", sorted(SENSOR_TOOLS))
@pytest.mark.parametrize("text", ["", "No devices were found", "{}", "[]", '{"card0": 1}', "a,b"])
def test_what_cannot_be_read_is_absent(tools: Path, name: str, text: str) -> None:
    assert not read_tools(SENSOR_TOOLS[name], "0")  # no tool
    for tool in SENSOR_TOOLS[name]:
        program(tools, tool.words[0], f"echo '{text}'")
    assert not read_tools(SENSOR_TOOLS[name], "0")


def test_no_other_card_is_read_where_devices_are_hidden(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tools, "nvidia-smi", 'echo "84.91, 1980"')
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2")
    assert not read_tools(SENSOR_TOOLS["cuda"], "0")


def test_a_card_of_nvidia_is_found_by_its_uuid_whatever_its_number_is(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tools, "nvidia-smi", '[ "$1 $2" = "-i GPU-11-22" ] && echo "84.91, 1980"')
    cuda = SimpleNamespace(get_device_properties=lambda _: SimpleNamespace(uuid="11-22"))
    torch = SimpleNamespace(
        device=lambda _: SimpleNamespace(type="cuda", index=1),
        version=SimpleNamespace(hip=None),
        cuda=cuda,
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert sensor_of("cuda:1")() == SensorReading(84.91, 1980)


def zone(powercap: Path, name: str, energy: str) -> Path:
    folder = powercap / name
    folder.mkdir(parents=True)
    (folder / "energy_uj").write_text(energy, "ascii")
    (folder / "max_energy_range_uj").write_text("1000000\n", "ascii")
    return folder


def test_the_power_of_a_processor_is_energy_by_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = zone(tmp_path, "intel-rapl:0", "900000\n")
    zone(tmp_path, "intel-rapl:0:0", "5\n")  # a part of the package: it counts already
    frequency = tmp_path / "cpu3" / "cpufreq" / "scaling_cur_freq"
    frequency.parent.mkdir(parents=True)
    frequency.write_text("2600000\n", "ascii")

    def pass_time(_: float) -> None:
        (package / "energy_uj").write_text("100000\n", "ascii")  # it began again: 0.2 J

    moments = iter([10.0, 10.5])
    monkeypatch.setattr("time.sleep", pass_time)
    monkeypatch.setattr("time.perf_counter", lambda: next(moments))
    found = read_processor(tmp_path, tmp_path)
    assert found.power_w == pytest.approx(0.4)
    assert found.clock_mhz == 2600


def test_a_processor_without_counters_tells_nothing(tmp_path: Path) -> None:
    (zone(tmp_path, "intel-rapl:0", "") / "energy_uj").unlink()
    assert not read_processor(tmp_path, tmp_path)
