"""Pages in Chinese: what stands there in English, and the way from one language to the other."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.browser.visit import OpenPage, expect, wait_until_ready
from tests.built_site import Site

# Texts without a Chinese character. Code, what is marked as English, and names of hardware, versions,
# suites and reports do not count.
_LATIN = """() => {
  const names = ".generation h3, .generation .table-box, table.hardware th, table.hardware td, table.speeds,"
    + " table.grid-table td, .plot-panels, .grid-row dd, .grid-presets a, table.versions td, table.followed td, [href*='#card-'],"
    + " [href*='results/runs/'], [href*='results/'][href$='/'], .regression dd div, .sources a, .vendor-text a, .vendor-text td, .vendor-text strong, [href*='//github.com/']";
  const apart = `code, pre, script, style, noscript, [lang=en], .page-end a, [aria-hidden], ${names}`;
  const isLatin = (text) => /[A-Za-z]{2}/.test(text) && !/\\p{Script=Han}/u.test(text);
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { textContent, parentElement } = walk.currentNode;
    if (!parentElement.closest(apart) && isLatin(textContent)) found.add(textContent.trim());
  }
  for (const name of ["aria-label", "title", "placeholder"])
    for (const one of document.querySelectorAll(`[${name}]`))
      if (!one.closest(apart) && isLatin(one.getAttribute(name))) found.add(one.getAttribute(name));
  return [...found];
}"""

# Names that are neither a platform's nor a vendor's, and whole texts that consist of names.
_NAMES = re.compile(
    r"(PyTorch|PyPI|Python|glibc|GB|W|MB|cpu|xpu|(?:cu|rocm)[0-9.]+|Linux|Windows|macOS|WSL2|Dockerfile|Docker|LibTorch|conda|pip|uv|ARM64|x86-64"
    r"|RISC-V|s390x|ppc64le|x86_64|aarch64|riscv64|https://[a-z0-9./-]+|pyproject\.toml"
    r"|requirements\.txt|CUDA|ROCm|ImportError:.*|[0-9][0-9.]*(t|\.dev\d+|\.post\d+|\.RC\d+)?(\+[\w.]+)?|[·,;()–\uff1a\uff0c\u3001→<>=])+"
)


@pytest.fixture(scope="module")
def names(site: Site) -> re.Pattern[str]:
    """The names that stay as they are."""
    found = {"English", "PyTorch accelerator portal", "Material for MkDocs", "Alpine Linux"}
    found |= {
        "pip download",
        "Help",
        "AMD's wheels",
        "RTX 4090",
        "CI relay",
        "operators",
        "FP8",
        "bfloat16",
    }
    found |= {
        "AMP",
        "GB",
        "ExecuTorch",
        "JSON",
        "torch",
        "torch.compile",
        "DataLoader",
        "torch.accelerator.current_accelerator",
    }
    found |= {
        "torchvision",
        "Plugin",
        "Additional Platforms",
    }  # what `make new` and pytorch.org say
    found |= {one.package for one in site.catalog.releases.companions}
    if families := site.catalog.model_families:
        found |= {name for family in families.families for name in family.title.split(" and ")}
    found |= {"Autoload mechanism", "Autoloading out-of-tree extensions", "ExecuTorch"}
    for platform in site.catalog.platforms:
        a = platform.accelerator
        found |= {a.name, a.vendor, *a.vendor.split(), *a.name.split()}
        found |= {variant.name for variant in platform.install.variants}
        found |= {name for row in platform.compatibility.rows for name in row.needs}
        found |= {a.package.name, a.package.name.replace("_", "-")}
        found |= {model.name for one in platform.generations for model in one.models}
    if others := site.catalog.other_backends:
        found |= {runtime.name for runtime in others.runtimes}
        found |= {name for one in others.observed for name in (one.name, one.package) if name}
    longest_first = sorted(found, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def unexplained(names: re.Pattern[str], page: Page) -> list[str]:
    """Texts that are neither Chinese nor names, as a reader of the page sees them."""
    left = []
    for text in page.evaluate(_LATIN):
        rest = "".join(names.sub("", text).split())
        if re.search(r"[A-Za-z]{2}", rest) and not _NAMES.fullmatch(rest):
            left.append(text)
    return left


@pytest.mark.parametrize("part", range(4))  # for as many workers
def test_what_readers_see_is_chinese_or_a_name(
    open_page: OpenPage, site: Site, names: re.Pattern[str], part: int
) -> None:
    addresses = [address for address in site.pages if address.startswith("zh/")]
    assert len(addresses) > len(site.catalog.platforms)
    found = {}
    page = open_page("404.html")
    for address in addresses[part::4]:
        page.goto(f"/{address}")
        wait_until_ready(page)
        found[address] = unexplained(names, page)
    assert {address: texts for address, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    ("asked", "platform"),
    [("昇腾 910B", "ascend"), ("M3 Max", "mps"), ("RTX 4090", "cuda"), ("RTX 9999", "")],
)
def test_the_finder_answers_in_chinese(open_page: OpenPage, asked: str, platform: str) -> None:
    page = open_page("zh/")
    page.fill("#card", asked)
    status = page.locator("#card-status")
    expect(status).to_have_text(re.compile(r"找到|列表中没有"))
    expect(page.locator(".answer-links a").first).to_be_visible()
    if platform:
        details = page.locator(f".answer-links a[href*='/zh/compute-platforms/{platform}/']")
        expect(details.first).to_be_visible()
        page.get_by_role("link", name="在选择器中打开").first.click()
        expect(page).to_have_url(re.compile(rf"/zh/\?platform={platform}"))


def test_the_finder_shows_translated_notes_of_vendors(open_page: OpenPage) -> None:
    page = open_page("zh/hardware/?card=K100_AI")
    expect(page.locator(".answer .note:not([lang])").first).to_contain_text("推理镜像")
    expect(page.locator(".answer-needs span:not([lang])").first).to_have_text("海光驱动程序")


def test_the_finder_says_in_chinese_that_there_is_no_command(open_page: OpenPage) -> None:
    page = open_page("zh/hardware/?card=MLU370-X8")
    expect(page.locator(".answer-runs").first).to_have_text(re.compile("2.4.1，本站无安装命令"))  # noqa: RUF001


def test_the_finder_of_the_page_of_hardware_leads_to_the_chinese_selector(
    open_page: OpenPage,
) -> None:
    page = open_page("zh/hardware/?card=910B")
    page.get_by_role("link", name="在选择器中打开").first.click()
    expect(page).to_have_url(re.compile(r"/zh/\?platform=ascend"))


def test_the_selector_says_in_chinese_what_does_not_fit(open_page: OpenPage) -> None:
    page = open_page("zh/?platform=mps&os=linux")
    expect(page.locator("[data-part=status]")).to_contain_text("不支持")


def test_a_pasted_message_finds_the_same_answer(open_page: OpenPage) -> None:
    query = "questions/?text=No+matching+distribution+found+for+torch"
    opened = {}
    for address in (query, f"zh/{query}"):
        page = open_page(address)
        expect(page.locator(".filters-state")).to_contain_text(
            re.compile("Answer found|已找到解答")
        )
        question = page.locator(".question-results .question[open]")
        opened[address] = question.get_attribute("data-question")
    assert len(set(opened.values())) == 1


def test_the_other_version_has_the_same_choices(open_page: OpenPage) -> None:
    page = open_page("?platform=ascend&os=linux")
    page.get_by_role("link", name="中文").first.click()
    expect(page).to_have_url(re.compile(r"/zh/\?platform=ascend&os=linux$"))
    expect(page.locator("input[name=platform]:checked")).to_have_value("ascend")


def test_the_browser_s_language_only_offers(open_page: OpenPage) -> None:
    page = open_page("get-started/", locale="zh-CN")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    line = page.locator(".language-offer")
    expect(line).to_contain_text("本页有中文版。")
    line.get_by_role("button").click()
    expect(line).to_have_count(0)
    page.reload()
    page.wait_for_load_state("networkidle")
    expect(line).to_have_count(0)


def test_a_choice_is_remembered(open_page: OpenPage) -> None:
    page = open_page("get-started/", locale="en-US")
    page.wait_for_load_state("networkidle")
    line = page.locator(".language-offer")
    expect(line).to_have_count(0)
    page.get_by_role("link", name="中文").click()
    expect(page).to_have_url(re.compile("/zh/get-started/$"))
    page.goto(page.url.replace("/zh/", "/"))
    expect(line).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")
