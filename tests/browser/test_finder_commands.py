"""The card finder's commands: which release and build they install, and why these."""

from __future__ import annotations

import re

import pytest

from tests.browser import finder_queries as texts
from tests.browser.finding import HOME, anew, ask, on
from tests.browser.visit import OpenPage, expect


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


@pytest.mark.parametrize("python", ["py312", "cp312", "python 3.12"])
def test_a_python_is_read_from_its_tag(open_page: OpenPage, python: str) -> None:
    page = open_page(HOME, script=on("linux"))
    ask(page, f"RTX 3060 {python}")
    expect(page.locator(".answer").first.locator(".answer-runs")).to_contain_text("Python 3.12")


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
    [("RTX 5090 cuda 12.4", "CUDA 12.4 here."), ("Ascend 910B torch 1.11", "PyTorch 1.11 here.")],
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
        expect(first.locator(".answer-why").last).to_contain_text("no command for Docker")
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
        ("RTX 3060 laptop", ""),
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
        expect(first).not_to_contain_text(re.compile(r"\d (GB|W)\b"))


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
