"""The card finder and the system: whose commands an answer shows, and what it says of others."""

from __future__ import annotations

import re

import pytest

from tests.browser.finding import ANDROID, HOME, IPAD, anew, ask, on
from tests.browser.visit import PHONE, OpenPage, expect


def test_a_card_on_windows_gets_the_vendors_windows_wheel(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, "RX 7900 XTX")
    first = page.locator(".answer").first
    expect(first.locator(".answer-name")).to_have_text("Radeon RX 7900 XTX")
    expect(first.locator(".answer-runs")).to_contain_text("Windows")
    expect(first.locator(".command")).to_contain_text("Activate.ps1")
    expect(first.locator(".command")).to_contain_text("stable.repo.amd.com")
    expect(page.locator(".answer").nth(1)).to_contain_text("DirectML")


def test_hardware_of_another_system_gets_that_systems_commands(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "M3")
    first = page.locator(".answer").first
    expect(first.locator(".answer-why")).to_have_text(
        "There is no build for this hardware on Linux. These commands are for macOS."
    )
    expect(first.locator(".answer-runs")).to_contain_text("MPS")
    expect(first.locator(".command")).to_contain_text("pip install torch")


def test_a_processor_of_a_mac_leads_to_the_last_release_for_intel_macs(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("macos"))
    ask(page, "Core i9-9880H")
    first = page.locator(".answer").first
    expect(first).to_contain_text("Mac with an Intel processor")
    expect(first.locator(".answer-verdict")).to_contain_text("2.2.2 is the newest release")
    commands = first.locator(".command-main").text_content() or ""
    assert "numpy<2" in commands
    first.get_by_role("link", name="Open in the selector").click()
    expect(page.locator("[data-part=commands]")).to_have_text(commands)
    pip, uv = (
        page.locator(f"label:has(input[name=method][value={name}])") for name in ("pip", "uv")
    )
    expect(pip.locator(".choice-reason")).to_have_text("")
    expect(pip.locator("input")).to_be_checked()
    expect(uv.locator(".choice-reason")).not_to_have_text("")
    cpu = page.locator("label:has(input[name=platform][value=cpu])")
    expect(cpu.locator(".choice-reason")).to_have_text("")
    expect(cpu.locator(".choice-detail")).to_have_text("2.2.2")
    expect(page.locator("[data-part=python-note]")).to_be_hidden()


def test_a_gpu_of_an_intel_mac_gets_the_last_release_for_it(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("macos"))
    first = page.locator(".answer").first
    for query, runs in [
        ("Radeon Pro 5500M", "MPS, PyTorch 2.2.2, macOS"),
        ("Radeon Pro W6800X MPX", "MPS, PyTorch 2.2.2, macOS"),
        ("Vega 56", "MPS, PyTorch 2.2.2, macOS"),
        ("Intel UHD Graphics 630", "No PyTorch build"),
        ("Intel Iris Plus Graphics", "No PyTorch build"),
    ]:
        anew(page)
        ask(page, query)
        expect(first.locator(".answer-runs").first).to_contain_text(runs)
        expect(first.locator(".command-main")).to_contain_text("torch==2.2.2")
    anew(page)
    ask(page, "Radeon Pro 5500M")
    first.get_by_role("link", name="Open in the selector").click()
    expect(page.locator("[data-part=commands]")).to_contain_text("torch==2.2.2")
    expect(page.locator("[data-part=status]")).to_contain_text("The commands below install it.")


def test_a_macos_that_is_too_old_gets_no_command_without_a_version(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("macos"))
    ask(page, "M1 Max macOS 12")
    expect(page.locator(".answer .runs-none")).to_contain_text("runs on macOS 12")
    anew(page)
    ask(page, "MacBook Air M1 Monterey")
    expect(page.locator(".answer .runs-none").first).to_contain_text("runs on macOS 12")
    anew(page)
    ask(page, "M1 Max macOS 15 conda")
    expect(page.locator(".answer .command").first).to_contain_text("conda-forge")


@pytest.mark.parametrize("script", [on("phone"), ANDROID, IPAD], ids=["iphone", "android", "ipad"])
def test_on_a_phone_the_other_systems_are_linked(open_page: OpenPage, script: str) -> None:
    page = open_page(HOME, script=script, viewport=PHONE)
    ask(page, "arc b580")
    why = page.locator(".answer").first.locator(".answer-why")
    other = "These commands are for Linux. Commands for other systems: Windows"
    expect(why.filter(has_text="other systems")).to_have_text(other)
    link = why.get_by_role("link", name="Windows")
    assert "os=windows" in (link.get_attribute("href") or "")
    anew(page)
    ask(page, "arc b580 linux")
    expect(page.locator(".answer").first.locator(".command")).to_be_attached()
    expect(why.filter(has_text="other systems")).to_have_count(0)


def test_a_readers_own_system_needs_no_words(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("macos"), viewport=PHONE)
    ask(page, "MacBook Pro M3")
    first = page.locator(".answer").first
    expect(first.locator(".answer-runs")).to_contain_text("macOS")
    expect(first.locator(".answer-why")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_notes_of_another_machine_are_left_out(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    first = page.locator(".answer").first
    for query, number in [("RTX 3050 Ti", 0), ("RTX 3050 Ti linux arm64", 1)]:
        anew(page)
        ask(page, query)
        expect(first.locator(".command")).to_be_attached()
        expect(first.locator(".note").filter(has_text="On Linux on Arm")).to_have_count(number)


LSCPU_32_BIT = """Architecture:        armv7l
Byte Order:          Little Endian
CPU(s):              4
Model name:          Cortex-A72
BogoMIPS:            108.00
"""
UNAME_32_BIT = (
    "Linux raspberrypi 6.1.21-v7l+ #1642 SMP Mon Apr 3 17:22:30 BST 2023 armv7l GNU/Linux"
)


@pytest.mark.parametrize(
    ("query", "system", "question"),
    [
        ("RTX 4090 freebsd", "BSD", "no-matching-distribution"),
        ("RTX 3060 alpine", "Alpine Linux", "alpine-linux-musl"),
        ("alpine linux", "Alpine Linux", "alpine-linux-musl"),
        ("termux", "Android", "no-matching-distribution"),
        ("Snapdragon 8 Gen 3 android", "Android", "no-matching-distribution"),
        ("chromebook", "ChromeOS", "no-matching-distribution"),
        ("armv7l", "32-bit systems", "no-matching-distribution"),
        ("RTX 3060 chrome os flex", "ChromeOS", "no-matching-distribution"),
        ("arm32", "32-bit systems", "no-matching-distribution"),
        ("i686", "32-bit systems", "no-matching-distribution"),
        ("x86 32-bit", "32-bit systems", "no-matching-distribution"),
        (UNAME_32_BIT, "32-bit systems", "no-matching-distribution"),
        (LSCPU_32_BIT, "32-bit systems", "no-matching-distribution"),
    ],
)
def test_a_system_without_wheels_gets_no_command(
    open_page: OpenPage, query: str, system: str, question: str
) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, query)
    first = page.locator(".answer").first
    expect(first.locator(".runs-none")).to_contain_text(system)
    expect(page.locator(".answer .command")).to_have_count(0)
    first.get_by_role("link", name="Which systems and processors").click()
    expect(page.locator(":target")).to_have_attribute("id", re.compile(question))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("Arc B580 Ubuntu 20.04", "The sources for XPU list Ubuntu 26.04"),
        ("Arc B580 Ubuntu 20.04", ", not Ubuntu 20.04."),
        ("Arc B580 Ubuntu 24.04", "The sources for XPU list Ubuntu 24.04. PyTorch supports"),
        ("Arc B580 Windows 10", "The sources for XPU list Windows 11, not Windows 10."),
        ("MI300X ubuntu 18.04", ", not ubuntu 18.04."),
        ("MI300X ubuntu 22.04", "The sources for ROCm list Ubuntu 22.04.5."),
        ("RTX 3060 windows 11", "The sources for CUDA list Windows 10 or newer."),
        ("RTX 4090 ubuntu 18.04", "glibc 2.28"),
    ],
)
def test_the_version_of_a_system_is_compared_with_the_listed_ones(
    open_page: OpenPage, query: str, said: str
) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, query)
    expect(page.locator(".answer").first.locator(".answer-why").first).to_contain_text(said)


def test_a_board_with_one_architecture_gets_its_commands(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    boards = {"GB200": "ARM64", "GH200 480GB": "ARM64", "Atlas 800T A2": "ARM64", "B200": "x86-64"}
    for board, architecture in boards.items():
        anew(page)
        ask(page, board)
        expect(page.locator(".answer-runs").first).to_contain_text(architecture)


def test_a_dgx_spark_has_linux_and_an_rtx_spark_has_windows(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    for query, command in (("DGX Spark", "bin/activate"), ("RTX Spark", "nvtorch_oot")):
        anew(page)
        ask(page, query)
        expect(page.locator(".answer .command").first).to_contain_text(command)


def test_on_wsl_the_driver_is_spoken_of(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    for query in ("RTX 4090 WSL2", "RTX 4070 windows 11 wsl2 ubuntu 22.04"):
        anew(page)
        ask(page, query)
        expect(page.locator(".answer-why").first).to_contain_text("driver in Windows")
        expect(page.locator(".answer .command").first).to_contain_text("bin/activate")
    anew(page)
    ask(page, "9070 XT wsl")
    verdict = page.locator(".answer-verdict").first
    expect(verdict).to_contain_text("wheels find no GPU")
    expect(verdict).to_contain_text("have the steps for WSL2")
    expect(page.locator(".answer .command")).to_have_count(0)
    page.locator(".answer-why a").first.click()
    page.wait_for_url("**/compute-platforms/rocm/#faq-*wsl*")
    expect(page.get_by_text("HSA_ENABLE_DXG_DETECTION").first).to_be_visible()


def test_the_driver_of_windows_is_spoken_of_in_wsl_only(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RX 580 WSL2")  # no build runs on it, in WSL2 either
    expect(page.locator(".answer .runs-none").first).to_be_visible()
    anew(page)
    ask(page, "RTX 4090")
    expect(page.locator(".answer-why")).to_have_count(0)
    expect(page.locator(".answer .copy").first).to_have_text("Copy")


def test_a_rented_machine_gets_linux_commands(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, "p3.2xlarge")
    first = page.locator(".answer").first
    expect(first.locator(".answer-why")).to_have_text(
        "These commands are for Linux on the rented machine."
    )
    expect(first.locator(".command")).to_contain_text("cu126")


def test_commands_are_for_the_system_that_the_selector_has(open_page: OpenPage) -> None:
    page = open_page("?os=windows", script=on("linux"))
    ask(page, "Arc B580")
    runs = page.locator(".answer .answer-runs").first
    expect(runs).to_contain_text("Windows")
    page.locator("details summary", has_text="Change").first.click()
    page.locator("label:has(input[name=os][value=linux])").click()
    expect(runs).to_contain_text("Linux")
