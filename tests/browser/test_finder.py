"""The card finder on its pages: what readers type, paste and mistype, and the commands they get."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.browser import finder_queries as texts
from tests.browser.finding import ANDROID, HARDWARE, HOME, IPAD, anew, ask, on
from tests.browser.visit import PHONE, OpenPage, expect, shown_commands


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


def test_a_missing_python_is_spoken_of_where_a_command_names_one(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RTX 4090")
    first = page.locator(".answer").first
    expect(first.locator(".answer-runs")).to_contain_text("Python 3")
    expect(first.locator(".answer-needs").first).to_contain_text("does not have this Python")
    expect(first.locator(".answer-needs").first).to_contain_text("uv, which downloads it")
    anew(page)
    ask(page, "Trainium 2")  # its packages have no command of uv
    expect(first.locator(".answer-needs").first).to_contain_text("does not have this Python")
    expect(first.locator(".answer-needs").first).not_to_contain_text("uv")
    anew(page)
    ask(page, "Gaudi 3")
    expect(first).to_contain_text("Gaudi 3")
    expect(first.locator(".answer-runs")).not_to_contain_text("Python")
    expect(first).not_to_contain_text("does not have this Python")


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


def test_notes_of_the_card_stand_beside_its_commands(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, "Jetson AGX Orin")
    first = page.locator(".answer").first
    expect(first.locator(".note").first).to_contain_text("JetPack")
    expect(first.locator(".answer-runs")).to_contain_text("ARM64")


def test_notes_of_another_machine_are_left_out(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    first = page.locator(".answer").first
    for query, number in [("RTX 3050 Ti", 0), ("RTX 3050 Ti linux arm64", 1)]:
        anew(page)
        ask(page, query)
        expect(first.locator(".command")).to_be_attached()
        expect(first.locator(".note").filter(has_text="On Linux on Arm")).to_have_count(number)


def test_a_processor_leads_to_its_npu(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    for query in ("Snapdragon X Elite", "Core Ultra 7 258V"):
        anew(page)
        ask(page, query)
        found = page.locator(".answer").first.get_by_role("link", name="The NPU of this processor")
        expect(found).to_have_attribute("href", re.compile(rf"\?card={quote(query)}%20NPU$"))


def test_a_computer_of_one_name_says_nothing_about_another_card(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RTX 3060 and M2 Mac mini")
    runs = page.locator(".answer", has_text="RTX 3060").locator(".answer-runs")
    expect(runs.first).to_contain_text("CUDA")
    expect(runs.first).to_contain_text("Linux")
    expect(page.locator(".answer").first.locator(".answer-runs")).to_contain_text("macOS")


def test_the_tool_of_a_platform_is_not_named_for_an_npu(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "Hexagon NPU")
    expect(page.locator(".answer").first).to_contain_text("No PyTorch build")
    expect(page.locator(".answer-identify")).to_have_count(0)


def test_the_example_of_a_note_is_the_card_of_the_answer(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RX 6600 XT")
    note = page.locator(".answer").first.locator(".note", has_text="device-all")
    expect(note).to_contain_text("for example device-gfx1032 for this card.")


@pytest.mark.parametrize("python", ["py312", "cp312", "python 3.12"])
def test_a_python_is_read_from_its_tag(open_page: OpenPage, python: str) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, f"RTX 3060 {python}")
    expect(page.locator(".answer").first.locator(".answer-runs")).to_contain_text("Python 3.12")


def test_a_part_of_a_card_suggests_the_card(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "GRID T4-8Q")
    expect(page.locator(".answer-near")).to_contain_text("T4 (CUDA)")


def test_the_sites_search_leads_to_the_finder(open_page: OpenPage) -> None:
    page = open_page("get-started/")
    search = page.locator("[data-md-component=search-query]")
    link = page.locator(".search-lead.to-finder-page")
    search.fill("nightly")
    expect(link).to_be_hidden()
    search.fill("GTX 1060")
    expect(link).to_have_text("Look up “GTX 1060” in the card finder")
    link.click()
    expect(page.locator(".answer-name").first).to_have_text("GeForce GTX 1060")


@pytest.mark.parametrize("width", [360, 390])
def test_the_jump_to_the_finder_shows_its_label(open_page: OpenPage, width: int) -> None:
    page = open_page(HOME, viewport={"width": width, "height": 740})
    page.locator("a.to-finder").first.click()
    expect(page.locator("#card:target")).to_be_in_viewport()
    tops = "document.querySelector('label[for=card]').getBoundingClientRect().top >= document.querySelector('.md-header').getBoundingClientRect().bottom"
    page.wait_for_function(tops)


def test_a_driver_limits_the_commands(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, texts.PASTES["nvidia-smi"].text)
    expect(page.locator(".answer .command").first).to_contain_text("cu126")
    header = "NVIDIA-SMI 535.104.05  Driver Version: 535.104.05  CUDA Version: 12.2"
    for line in (header, f"| {header} |", f"RTX 3090 {header}"):
        anew(page)
        ask(page, line)
        expect(page.locator("#card-status")).to_have_text("1 match.")
        expect(page.locator(".answer .command").first).to_contain_text("cu126")
        expect(page.locator(".answer-why").first).to_contain_text("535.104.05")
    ask(page, "RTX 3090 driver 390")
    expect(page.locator(".answer-why").first).to_contain_text("Update the driver first.")


@pytest.mark.parametrize(
    ("error", "found"),
    [
        ("RuntimeError: NPU out of memory", "npu-out-of-memory"),
        (
            "Traceback (most recent call last):\n"
            + '  File "a.py"\n' * 200
            + "RuntimeError: NPU out of memory. Tried 2.00 MiB",
            "npu-out-of-memory",
        ),
        ("CUDA error: no kernel image is available for execution on the device", "no-kernel-image"),
    ],
)
def test_an_error_message_leads_to_its_answer(open_page: OpenPage, error: str, found: str) -> None:
    page = open_page(HOME)
    ask(page, error)
    page.get_by_role("link", name="Find this error message").click()
    expect(page.locator(".question[open]").first).to_have_attribute(
        "data-question", re.compile(found)
    )


def test_a_text_of_many_lines_is_searched_once(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    ask(page, "RTX 4090")  # so that the data is loaded
    page.evaluate("""() => {
      const original = history.replaceState;
      window.searches = 0;
      history.replaceState = function (...all) { searches += 1; return original.apply(this, all); };
    }""")
    page.locator("#card").fill('  File "a.py"\n' * 50 + "RuntimeError: NPU out of memory")
    expect(page.get_by_role("link", name="Find this error message")).to_be_visible()
    assert page.evaluate("searches") == 1


def test_a_release_with_a_restricted_command_is_explained(open_page: OpenPage) -> None:
    """The cell of a release opens that release, whether its command comes first or not."""
    page = open_page(HOME, script=on("linux"))
    ask(page, "TPU v5e")
    first = page.locator(".answer").first
    expect(first.locator(".answer-verdict")).to_have_text(
        "PyTorch 2.14.1 supports your card. The newest release for your card is 2.15.0."
    )
    expect(first.locator(".answer-why").first).to_contain_text("3.0 GB")
    first.get_by_role("link", name="Command for 2.15.0").click()
    expect(page.locator("[data-part=summary]")).to_contain_text("PyTorch 2.15.0")
    page = open_page("versions/")
    page.locator("a[href*='/tpu/?build=']").first.click()
    expect(page.locator("[data-part=summary]")).to_contain_text("PyTorch 2.15.0")


def test_a_toolkit_version_picks_its_build(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "CUDA 12.4")
    expect(page.locator(".answer-runs").first).to_contain_text("CUDA 12.4")
    ask(page, "CUDA 12.5")
    expect(page.locator(".answer-why").first).to_contain_text("CUDA 12.4 is the next older build.")


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("RTX 5090 cuda 12.4", "CUDA 12.4 here."),
        ("Ascend 910B torch 1.11", "PyTorch 1.11 here."),
    ],
)
def test_what_the_card_has_no_command_for_is_said(
    open_page: OpenPage, query: str, missing: str
) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, query)
    reasons = page.locator(".answer").first.locator(".answer-why")
    expect(reasons.last).to_have_text(f"There is no command for {missing}")


def test_for_an_older_release_no_other_command_is_shown(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    first = page.locator(".answer").first
    for query, release in [("RTX 3090 torch 1.13", "1.13"), ("torch 1.13.1 cu116", "1.13.1")]:
        anew(page)
        ask(page, query)
        expect(first.locator(".answer-verdict")).to_have_text(
            f"There is no command for PyTorch {release} here. The oldest release here is 2.4.0. Older releases on pytorch.org"
        )
        expect(first.locator(".command")).to_have_count(0)
    anew(page)
    ask(page, "cu116")
    expect(first.locator(".answer-why").first).to_have_text(
        "This site has no command for CUDA 11.6. This is the default build. Older releases on pytorch.org"
    )


@pytest.mark.parametrize(
    ("query", "fits", "command"),
    [
        ("CANN 8.1.RC1", "PyTorch 2.4.0 with torch-npu 2.4.0.post4 and CANN 8.1.RC1", "post4"),
        ("CANN 8.0.RC1", "PyTorch 2.2.0 with torch-npu 2.2.0 and CANN 8.0.RC1", ""),
        ("Gaudi 1.21", "habana-torch-plugin 1.21.0", "gaudi-docker/1.21.0"),
        ("Gaudi 1.20", "habana-torch-plugin 1.20.0", ""),
        ("CANN 77.1", "The version table does not list CANN 77.1.", ""),
    ],
)
def test_a_version_of_a_vendors_software_leads_to_what_fits_it(
    open_page: OpenPage, query: str, fits: str, command: str
) -> None:
    """Commands stand there only if they install a version that fits."""
    page = open_page(HOME, script=on("linux"))
    ask(page, query)
    first = page.locator(".answer").first
    expect(first.locator(".answer-runs").first).to_contain_text(fits)
    expect(first.locator(".answer-runs a").first).to_have_attribute("href", re.compile("#versions"))
    expect(first.locator(".command")).to_have_count(1 if command else 0)
    if command:
        expect(first.locator(".command")).to_contain_text(command)


@pytest.mark.parametrize(
    ("query", "works"),
    [
        ("RX 580", "Radeon RX and Radeon PRO: see the answer below (DirectML)"),
        ("RX 470", "Radeon RX and Radeon PRO: see the answer below (DirectML)"),
        ("GTX 780", "GeForce GTX 600 series and later: see the answer below (DirectML)"),
        ("Intel UHD 630", "4th-generation Core and later: see the answer below (DirectML)"),
        ("Core Ultra 7 258V NPU", "Arc 140V: see the answer below (XPU)"),
        ("Strix Point NPU", "Ryzen AI 9 HX 375: see the answer below (ROCm)"),
    ],
)
def test_hardware_without_a_build_names_the_answer_that_works(
    open_page: OpenPage, query: str, works: str
) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, query)
    first = page.locator(".answer").first
    expect(first.locator(".runs-none")).to_contain_text("no build in this portal runs on this")
    expect(first.locator(".answer-verdict")).to_contain_text(works)
    expect(first.get_by_role("link", name="other runtimes")).to_have_attribute(
        "href", re.compile("other-ways/$")
    )
    expect(page.locator("details.answer[open]")).to_have_count(1)
    expect(page.locator("details.answer[open] .command")).to_be_visible()


def test_npu_by_itself_names_several_products_and_no_command(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, "NPU")
    first = page.locator(".answer").first
    expect(first).to_contain_text("Type the name of your Huawei hardware")
    expect(first.locator(".command")).to_have_count(0)
    for name in ("Core Ultra NPU", "Ryzen AI NPU", "Hexagon NPU", "Apple Neural Engine"):
        expect(page.locator("details.answer summary", has_text=name)).to_have_count(1)


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


def test_a_python_version_selects_its_command(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    first = page.locator(".answer").first
    for query, python in (
        ("RTX 4090 python 3.12", "3.12"),
        ("RTX 4090 python3.9", "3.9"),
        ("RTX 4090 python 3.14.1 pip", "3.14"),
    ):
        anew(page)
        ask(page, query)
        expect(first.locator(".command")).to_contain_text(f"python{python} -m venv")
    for query, python in (
        ("RTX 4090 python 2.7", "2.7"),
        ("torch 2.6 python 3.14 RTX 4090", "3.14"),
    ):
        anew(page)
        ask(page, query)
        expect(first.locator(".answer-why")).to_contain_text(f"no command for Python {python}")


def test_an_image_for_another_chip_is_not_shown(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    first = page.locator(".answer").first
    for query in ("Atlas 300I Duo", "Atlas 800T A3", "Atlas 350", "Atlas 300T Pro"):
        anew(page)
        ask(page, f"{query} docker")
        expect(first.locator(".answer-why")).to_contain_text("no command for Docker")
        expect(first.locator(".command")).to_contain_text("pip install")
    anew(page)
    ask(page, "Atlas 800T A2 docker")
    expect(first.locator(".command")).to_contain_text("-910b-")


def test_a_range_of_versions_has_the_command_that_builds_it(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "MTT S4000 MUSA SDK 5.1")
    first = page.locator(".answer").first
    expect(first.locator(".answer-runs").first).to_contain_text("torch_musa 2.9.1 and MUSA SDK")
    expect(first.locator(".command")).to_contain_text("--branch v2.9.1 ")


def test_a_release_alone_asks_for_the_hardware(open_page: OpenPage) -> None:
    page = open_page(HOME)
    ask(page, "torch 2.7")
    expect(page.locator("#card-status")).to_have_text("Type the name of your hardware, too.")
    expect(page.locator("[data-part=answers] a")).to_have_attribute("href", re.compile("versions/"))
    ask(page, "torch 1.12")
    expect(page.locator("[data-part=answers]")).to_contain_text("The oldest release here is 2.4.0.")
    expect(page.locator("[data-part=answers] a").first).to_have_attribute(
        "href", re.compile("previous-versions")
    )


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


def test_an_old_jetpack_leads_to_the_vendors_builds(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "JetPack 6.2")
    first = page.locator(".answer").first
    expect(first.locator(".runs-none")).to_contain_text("JetPack 6.2")
    expect(first.get_by_role("link", name="Builds of the vendor")).to_have_count(1)
    ask(page, "JetPack 7.2")
    expect(page.locator(".answer .command").first).to_contain_text("pip install torch")
    ask(page, "Jetson Orin Nano")
    expect(first.locator(".command")).to_contain_text("pip install torch")
    expect(first.get_by_role("link", name="Builds of the vendor")).to_have_count(1)
    first.get_by_role("link", name="Ampere on the CUDA page").click()
    page.locator("#card-ampere-8-7 ~ p a", has_text="Builds of the vendor").first.click()
    expect(page.locator(":target")).to_contain_text("Jetson")


def test_a_requirement_links_where_to_get_it(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "MI300X")
    driver = page.locator(".answer-needs a", has_text="AMD GPU driver (amdgpu)")
    expect(driver).to_have_attribute("href", re.compile("rocm.docs.amd.com"))


def test_hardware_without_a_build_is_said_so_and_gets_the_cpu(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "UHD Graphics 630")
    first = page.locator(".answer").first
    expect(first.locator(".runs-none")).to_have_text(
        "No PyTorch build in this portal runs on this hardware."
    )
    expect(first.locator(".answer-why")).to_contain_text("PyTorch runs on the processor instead")
    expect(first.locator(".command")).to_contain_text("whl/cpu")
    ask(page, texts.PASTES["system-profiler-intel"].text)
    expect(first.locator(".answer-name")).to_contain_text("in a Mac")
    expect(first.locator(".command-main")).to_contain_text("torch==2.2.2")


def test_a_rented_machine_gets_linux_commands(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    ask(page, "p3.2xlarge")
    first = page.locator(".answer").first
    expect(first.locator(".answer-why")).to_have_text(
        "These commands are for Linux on the rented machine."
    )
    expect(first.locator(".command")).to_contain_text("cu126")


def test_copy_takes_the_whole_script(open_page: OpenPage) -> None:
    page = open_page(
        HARDWARE, script=on("linux"), permissions=["clipboard-read", "clipboard-write"]
    )
    ask(page, "MI300X")
    box = page.locator(".answer .command-box").first
    box.get_by_role("button", name="Copy").click()
    expect(box.get_by_role("button")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == box.locator(".command").text_content()
    assert "python3 -m pip install torch" in copied


@pytest.mark.parametrize("query", ["V100", "\uff36\uff11\uff10\uff10"])
def test_a_card_in_the_address_is_found(open_page: OpenPage, query: str) -> None:
    page = open_page(f"{HARDWARE}?card={quote(query)}")
    expect(page.locator(".answer").first).to_contain_text("V100 16GB")


def test_the_answer_opens_in_the_selector(open_page: OpenPage) -> None:
    page = open_page(f"{HARDWARE}?card=V100", script=on("windows"))
    commands = page.locator(".answer .command-main").first
    expect(commands).to_contain_text("cu126")
    wanted = commands.text_content()
    page.locator(".answer a", has_text="Open in the selector").first.click()
    expect(page.locator("input[name=platform]:checked")).to_have_value("cuda")
    expect(page.locator("input[name=variant]:checked")).to_have_value("cu126")
    expect(page.locator("input[name=os]:checked")).to_have_value("windows")
    assert shown_commands(page) == wanted


def test_on_the_first_page_the_answer_sets_the_selector_in_place(open_page: OpenPage) -> None:
    page = open_page("", script=on("windows"))
    ask(page, "RX 7900 XTX")
    page.locator(".answer a", has_text="Open in the selector").first.click()
    expect(page.locator("input[name=platform]:checked")).to_have_value("rocm")
    assert page.url.partition("?")[0].endswith("/")
    assert "platform=rocm&card=rdna3-gfx1100&os=windows" in page.url
    expect(page.locator("[data-part=script]")).to_be_focused()
    expect(page.locator("[data-part=limit]")).to_contain_text("RDNA3")


def test_commands_are_for_the_system_that_the_selector_has(open_page: OpenPage) -> None:
    page = open_page("?os=windows", script=on("linux"))
    ask(page, "Arc B580")
    runs = page.locator(".answer .answer-runs").first
    expect(runs).to_contain_text("Windows")
    page.locator("details summary", has_text="Change").first.click()
    page.locator("label:has(input[name=os][value=linux])").click()
    expect(runs).to_contain_text("Linux")


def test_commands_are_for_the_python_that_the_selector_has(open_page: OpenPage) -> None:
    page = open_page("?python=3.12", script=on("linux"))
    ask(page, "RTX 4090")
    command = page.locator(".answer .command").first
    expect(command).to_contain_text("python3.12 -m venv")
    page.locator("details summary", has_text="Change").first.click()
    page.locator("label:has(input[name=python][value='3.14'])").click()
    expect(command).to_contain_text("python3.14 -m venv")
    ask(page, "MTT S4000")
    expect(command).to_contain_text("python3.10 -m venv")  # the only Python of its wheels


def test_the_answer_leads_to_its_row_on_the_platforms_page(open_page: OpenPage) -> None:
    page = open_page(f"{HARDWARE}?card=gfx1030")
    page.locator(".answer a", has_text="on the ROCm page").first.click()
    generation = page.locator(".generation:has(:target)")
    expect(generation).to_be_in_viewport()
    expect(generation).to_contain_text("gfx1030")


NONSENSE = [
    "nothing of the kind",
    "Voodoo 3dfx 99",
    "<img src=x onerror=alert(1)>",
    "'\"><script>alert(1)</script>",
    "../../etc/passwd",
    "x" * 5000,
    "((((((((((abc+)+)+)+)+)+)+$",
    "%00%ff",
    "__proto__",
]


def test_what_matches_nothing_gets_the_next_step(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("windows"))
    for query in NONSENSE:
        anew(page)
        ask(page, query)
        expect(page.locator("#card-status")).to_contain_text(f"“{query[:80]}")
        expect(page.locator(".answer-help h3")).to_have_text("Identify your hardware on Windows")
        expect(page.locator(".answer-help")).to_contain_text("nvidia-smi")
        expect(page.locator(".finder-answers a")).to_have_count(3)
        assert page.locator(".finder img, .finder script").count() == 0


def test_an_unknown_card_of_a_known_vendor_gets_the_vendors_platform(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "NVIDIA Foo 7777")
    expect(page.locator("#card-status")).to_contain_text("“NVIDIA Foo 7777” is not in the list.")
    expect(page.locator(".answer-name").first).to_have_text("NVIDIA: CUDA")
    expect(page.locator(".answer-help")).to_have_count(1)
    expect(page.locator(".answer .command")).to_have_count(0)


def test_a_number_beside_an_unknown_word_is_asked_about(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "hello 4090")
    expect(page.locator("#card-status")).to_have_text("“hello 4090” is not in the list.")
    expect(page.locator(".answer-near")).to_contain_text("Did you mean GeForce RTX 4090 (CUDA)")
    expect(page.locator(".answer .command")).to_have_count(0)


def test_one_line_says_which_release_supports_the_card(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    for query, line in [
        ("RTX 3060", r"^PyTorch \S+ supports your card\."),
        ("Xeon Gold 6338", r"^PyTorch \S+ supports your processor\."),
        ("Ascend 310P", r"^It is not certain that this build of PyTorch \S+ runs on your card\.$"),
        ("海光 K100-AI", r"^It is not certain that this build of PyTorch \S+ runs on your card\.$"),
        ("MTT S4000", r"^It is not certain that this build of PyTorch \S+ runs on your card\.$"),
        ("Radeon Pro 580X", r"^It is not certain that this build of PyTorch 2\.2\.2 runs on"),
        ("Jetson AGX Orin", r"^PyTorch \S+ supports your card with JetPack 7\.2 or newer\.$"),
        (
            "Jetson AGX Orin torch 2.14",
            r"^PyTorch 2\.14\S* .* with JetPack 7\.2 or newer\. The newest",
        ),
        (
            "RX 7900 XTX windows",
            r"^PyTorch \S+ supports your card\. This site has no command for \S+ on",
        ),
    ]:
        ask(page, query)
        expect(page.locator(".answer-verdict").first).to_have_text(re.compile(line))


@pytest.mark.parametrize(
    ("query", "figures"),
    [
        ("RTX 5070 Ti", "16 GB, GDDR7"),
        ("RTX 5070 Ti laptop", ""),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", ""),
        ("RTX 5080 Max-Q", ""),
        ("Asus Zephyrus G14 RTX 4060", ""),
        ("RTX 4090 24GB", "24 GB, GDDR6X"),
        ("RTX 4090 16 gb windows", ""),
    ],
)
def test_figures_of_another_card_are_left_out(
    open_page: OpenPage, query: str, figures: str
) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, query)
    first = page.locator(".answer").first.locator(".answer-what")
    if figures:
        expect(first).to_contain_text(figures)
    else:
        expect(first).not_to_contain_text(" GB")


def test_a_command_that_names_no_version_claims_no_variant(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RTX 3090 conda")
    expect(page.locator(".answer-runs").first).to_contain_text("CUDA, PyTorch, version not pinned")


def test_builds_of_others_come_before_the_processor(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "Jetson AGX Orin JetPack 6")
    first = page.locator(".answer").first
    expect(first.locator(".answer-why")).to_have_text(
        [
            "Builds of the vendor for this hardware",
            re.compile("^PyTorch runs on the processor instead"),
        ]
    )
    first.locator(".answer-why a").click()
    expect(page.locator(":target")).to_contain_text("Jetson")


def test_a_text_that_is_cut_says_so(open_page: OpenPage) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, "RTX 3060\n" + "x" * 20_000)
    expect(page.locator("#card-status")).to_contain_text("first 20,000 characters were read.")


def test_too_little_is_asked_to_be_more(open_page: OpenPage) -> None:
    page = open_page(HOME)
    for query in ("a", "8", "🦙", "((((", "-"):
        anew(page)
        ask(page, query)
        expect(page.locator("#card-status")).to_have_text("Type at least two letters or digits.")
        expect(page.locator(".finder-answers > *")).to_have_count(0)


def test_a_query_that_names_several_says_how_many(open_page: OpenPage) -> None:
    page = open_page(HOME)
    ask(page, "Atlas 300I")
    expect(page.locator("#card-status")).to_contain_text("matches.")
    assert 1 < page.locator(".answer").count() <= 6
    second = page.locator("details.answer").first
    second.locator("summary").click()
    expect(second.locator(".answer-what")).to_be_visible()


def test_the_question_stays_in_the_address(open_page: OpenPage) -> None:
    page = open_page(HARDWARE)
    ask(page, "A100 & co")
    assert page.url.endswith("?card=A100%20%26%20co")
    ask(page, texts.PASTES["nvidia-smi"].text)  # too long for an address
    expect(page.locator(".answer-name").first).to_contain_text("3090")
    assert page.url.endswith(HARDWARE)
    page.locator("#card").fill("")
    expect(page.locator(".answer")).to_have_count(0)
    assert page.url.endswith(HARDWARE)


def test_enter_asks_and_does_not_leave_the_page(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#card").fill("MI300X")
    page.keyboard.press("Enter")
    expect(page.locator(".answer").first).to_contain_text("Instinct MI300X")
    expect(page.locator("#card")).to_have_value("MI300X")
    assert "card=" not in page.url


def test_when_the_data_cannot_be_read_it_says_so_and_tries_again(open_page: OpenPage) -> None:
    page = open_page(HOME)
    page.route("**/hardware.json", lambda route: route.fulfill(status=200, body="{"))
    page.locator("#card").fill("V10")
    expect(page.locator("#card-status")).to_contain_text("could not load its data")
    page.unroute("**/hardware.json")
    page.locator("#card").fill("V100")
    expect(page.locator(".answer").first).to_contain_text("Volta")


def test_without_scripts_the_question_leads_to_the_table(open_page: OpenPage) -> None:
    page = open_page("", java_script_enabled=False)
    page.locator("#card").fill("V100")
    page.locator(".finder button").click()
    row = page.locator(".all-hardware tr", has_text="V100 16GB")
    expect(row).to_be_visible()
    expect(row).to_contain_text("p3.*")
    expect(row.locator(".runs a")).to_have_attribute(
        "href", "../?platform=cuda&card=volta-7-0&arch=x86_64"
    )
