"""Pasting an error message: real ones find their answer, and no paste leaves the page empty."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from playwright.sync_api import Page

from accelerator_portal.site.pages.questions import search_terms
from tests.browser.visit import Opened, OpenPage, expect
from tests.built_site import Site

QUESTIONS = "questions/"
MESSAGES = Path(__file__).parents[1] / "portal/site" / "error_messages.yaml"

# Of the messages, how many open their answer, find it first, and among the first three.
LEAST_OPENED = 0.8
LEAST_FIRST = 0.9
LEAST = 0.95

_ANSWERS = """async (messages) => {
  const { answers } = await import(new URL("../assets/scripts/question-search.js", location.href));
  const index = await (await fetch("../api/v1/questions.json")).json();
  return messages.map((text) => answers(index, text));
}"""
_TERMS = """async (texts) => {
  const { terms } = await import(new URL("../assets/scripts/question-search.js", location.href));
  return texts.map((text) => [...terms(text)]);
}"""
_PASTE = """(area, text) => {
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
}"""
_SHOWN = """() => [...document.querySelectorAll(".question-group")]
  .filter((group) => group.checkVisibility()).map((group) => group.dataset.platform)"""

# What the site's own search must answer, too: the message, and the question that comes first.
SEARCHED = [
    ("AssertionError: Torch not compiled with CUDA enabled", "torch-not-compiled-with-cuda"),
    ("CUDA error: no kernel image is available for execution on the device", "no-kernel-image"),
    # With ".so", the site's search also finds names that begin with "so": Sophgo.
    ("ImportError: libhccl", "not-find-libhccl-so"),
    ("RuntimeError: NPU out of memory", "npu-out-of-memory"),
    ("libcudart", "libcudart-so-not-found"),
    ("NCCL_P2P_DISABLE", "training-hang-with-several-gpus"),
    ("P2P", "training-hang-with-several-gpus"),
    ("IPEX", "need-intel-extension-for-pytorch"),
    ("Rosetta", "no-torch-for-my-intel-mac"),
]


def paste(page: Page, text: str) -> None:
    page.locator("textarea[name=text]").evaluate(_PASTE, text)


def state(page: Page) -> str:
    return page.locator(".question-form [role=status]").inner_text()


def test_real_messages_find_their_answer(open_page: OpenPage, site: Site) -> None:
    index = json.loads((site.root / "api/v1/questions.json").read_text("utf-8"))
    ids = {
        (question.split("/")[0], title): question
        for question, title in zip(index["questions"], index["titles"], strict=True)
    }
    messages: list[dict[str, Any]] = yaml.safe_load(MESSAGES.read_text("utf-8"))
    answers = open_page(QUESTIONS).evaluate(_ANSWERS, [m["message"] for m in messages])
    for held_out in (False, True):
        count, opened, first, among = 0, 0, 0, 0
        for message, found in zip(messages, answers, strict=True):
            if bool(message.get("held_out")) != held_out:
                continue
            right = message["question"] and ids[message["platform"], message["question"]]
            assert found["opened"] in {None, right}, message["message"]
            if right:
                count += 1
                opened += found["opened"] == right
                first += found["found"][:1] == [right]
                among += right in found["found"]
        name = "held out" if held_out else "tuned"
        print(f"{name}: of {count}, {opened} opened, {first} first, {among} among three")  # noqa: T201 - the rates
        assert opened >= count * LEAST_OPENED
        assert first >= count * LEAST_FIRST
        assert among >= count * LEAST


def test_the_page_reads_words_as_the_build_does(open_page: OpenPage, site: Site) -> None:
    texts = [s.title + "\n" + s.text for faq in site.catalog.faq_files for s in faq.sections]
    assert open_page(QUESTIONS).evaluate(_TERMS, texts) == [[*search_terms(text)] for text in texts]


def test_the_best_answer_comes_first_and_open(open_page: OpenPage) -> None:
    page = open_page(QUESTIONS)
    paste(
        page, "Traceback (most recent call last):\nRuntimeError: NPU out of memory. Tried 2.00 MiB"
    )
    first = page.locator(".question-results details").first
    expect(first).to_have_attribute(
        "data-question", "ascend/faq-what-can-i-do-about-npu-out-of-memory"
    )
    expect(first).to_have_attribute("open", "")
    assert "Answer found" in state(page)
    page.locator("select[name=platform]").select_option("musa")
    expect(page.locator(".question-form [role=status]")).to_have_text(
        re.compile("is about .*Ascend.*, not .*MUSA.*[.]")
    )
    expect(page.locator("details.question[open]")).to_have_count(0)
    expect(page.locator(".question-results .question-help a").first).to_have_attribute(
        "href", "../compute-platforms/musa/#help"
    )
    paste(page, "")
    page.locator("select[name=platform]").select_option("")
    expect(page.locator(".question-results")).to_be_hidden()
    assert len(page.evaluate(_SHOWN)) == page.locator(".question-group").count()
    expect(page.locator("details.question[open]")).to_have_count(0)


CAUSE = "\n\nThe above exception was the direct cause of the following exception:\n\n"
MUSA_SYMBOL = "ImportError: /usr/local/musa/lib/libmusa.so.1.0: undefined symbol: PVRSRVGetDevInfo"
OUT_OF_MEMORY = """\
Traceback (most recent call last):
  File "/home/x/train.py", line 12, in <module>
    loss = model(batch)
  File "/home/x/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1751, in _call
    return forward_call(*args, **kwargs)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity
of 15.69 GiB of which 1.71 GiB is free. Of the allocated memory 10.14 GiB is allocated by PyTorch.
"""
CPU_BUILD = """\
>>> torch.__version__
'2.14.1+cpu'
>>> torch.cuda.is_available()
False
"""
PIP = """\
ERROR: Could not find a version that satisfies the requirement torch==2.9.1 (from versions: {})
ERROR: No matching distribution found for torch==2.9.1
"""
ROOT_CAUSE = """\
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
Traceback (most recent call last):
  File "/usr/bin/torchrun", line 33, in <module>
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
"""


# A message, and the beginning of the id of the answer that opens; empty if none does.
DECLARED: list[tuple[str, str]] = [
    (OUT_OF_MEMORY, "cuda/faq-what-can-i-do-about-cuda-out"),
    (ROOT_CAUSE, "cuda/faq-what-can-i-do-about-cuda-out"),
    (OUT_OF_MEMORY + "\nRuntimeError: the run failed", ""),
    (MUSA_SYMBOL + CAUSE + "ImportError: Please try another directory!", "musa/faq-why-does-the"),
    (MUSA_SYMBOL + CAUSE + "No module named 'torch'", "any/faq-why-does-it-say-no-module"),
    (OUT_OF_MEMORY + CAUSE + "RuntimeError: the run failed", "cuda/faq-what-can-i-do-about"),
    ("CUDA error: invalid device function", "cuda/faq-what-does-no-kernel-image"),
    (
        "ERROR: No matching distribution found for torch==2.4.0",
        "any/faq-why-does-pip-say-no-matching",
    ),
    ("No matching distribution found for torch-directml", "directml/faq-"),
    (
        "No matching distribution found for torch_mlu==1.2",
        "mlu/faq-why-does-pip-not-find-torch-mlu",
    ),
    (
        "Could not run 'aten::x' with arguments from the 'SparseMPS' backend.",
        "mps/faq-what-can-i-do-when-an-operator-is",
    ),
    (
        "Could not run 'aten::x' with arguments from the 'QuantizedCPU' backend.",
        "any/faq-what-does-could-not-run-aten-with-arguments-from-the-backend",
    ),
    (
        "Could not run 'aten::x' with arguments from the 'AutogradPrivateUse1' backend.",
        "any/faq-what-does-could-not-run-aten-with-arguments-from-the-privateuse1",
    ),
    (
        "ERROR: No matching distribution found for torch-neuronx==2.1.*",
        "neuron/faq-why-does-pip-find-no-torch-neuronx",
    ),
    (
        "requirement torch-neuronx==2.1.* (from versions: 1.0)",
        "neuron/faq-why-does-pip-find-no-torch-neuronx",
    ),
    ("No module named 'torch_neuronx'", "neuron/faq-why-does-pip-find-no-torch-neuronx"),
    ("No module named 'neuronxcc'", "neuron/faq-why-does-pip-find-no-torch-neuronx"),
    (
        "ImportError: /x/libtorch_npu.so: undefined symbol: _ZN3c104impl",
        "any/faq-why-does-an-extension",
    ),
    ("ImportError: _XLAC.so: undefined symbol: _ZTV", "tpu-xla/faq-why-does-importing"),
    ("hipErrorNoBinaryForGpu", "rocm/faq-why-do-i-get-hip-error-invalid"),
    ("HIP error: no kernel image is available for execution on the device", "rocm/faq-"),
    ("No module named 'torch'", "any/faq-why-does-it-say-no-module-named-torch"),
    ("No module named 'torch.accelerator'", ""),
    ("Expected all tensors to be on the same device, cuda:0 and cpu", "any/faq-what-does-exp"),
    ("libc.so.6: version `GLIBC_2.28' not found", "any/faq-why-is-glibc"),
    ('[WinError 126] Error loading "fbgemm.dll"', "any/faq-why-does-windows-report-winerror-126"),
    ("UserWarning: Can't initialize NVML", "cuda/faq-what-does-the-warning-can-t"),
    ("Failed to initialize NVML: Unknown Error", "cuda/faq-what-does-failed-to-init"),
    (
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
        "any/faq-what-can-i-do-when-pip-says-no-space",
    ),
    ("OSError: [Errno 28] No space left on device", ""),
    ("torch.cuda.is_available() False", "cuda/faq-why-does-torch-cuda-is-available"),
    ("torch.cuda.is_available() is False", "cuda/faq-why-does-torch-cuda-is-available"),
    ("torch.cuda.is_available() = False", "cuda/faq-why-does-torch-cuda-is-available"),
    ("torch.cuda.is_available() returns False", "cuda/faq-why-does-torch-cuda-is-available"),
    (CPU_BUILD, "cuda/faq-why-does-torch-cuda-is-available"),
    (
        "Windows 11, RTX 4070, 2.14.1+cpu: torch.cuda.is_available() returns False",
        "cuda/faq-why-does-torch-cuda-is-available",
    ),
    ("torch 2.9.0+rocm6.4, torch.cuda.is_available() False", ""),
    ("AssertionError: CUDA is not available", "cuda/faq-why-does-torch-cuda-is-available"),
    (
        "MPS not available because the current PyTorch install was not built with MPS enabled.",
        "mps/faq-what-does-not-built-with-mps-enabled",
    ),
    ("torch.backends.mps.is_built() False", "mps/faq-what-does-not-built-with-mps-enabled"),
    ("HSA_OVERRIDE_GFX_VERSION", "rocm/faq-why-do-i-get-hip-error-invalid"),
    ("torch.npu.is_available() False", "ascend/faq-why-does-torch-npu-is-available"),
    ("torch.hpu.is_available() False", "gaudi/faq-why-does-torch-hpu-is-available"),
    ("torch.musa.is_available() is False", "musa/faq-why-does-torch-musa-is-available"),
    ("No module named 'torch_npu'", "ascend/faq-why-is-there-no-module-named-torch-npu"),
    ("No module named 'torch_musa'", "musa/faq-where-do-i-get-torch-musa"),
    ("torch.xpu.is_available() False", "xpu/faq-why-does-torch-xpu-is-available"),
    (
        "module 'torch' has no attribute 'npu'. Did you mean: 'cpu'?",
        "any/faq-why-has-the-module-torch-no-attribute-npu",
    ),
    (
        "AttributeError: module 'torch' has no attribute 'musa'",
        "any/faq-why-has-the-module-torch-no-attribute-npu",
    ),
    (
        "AttributeError: module 'torch' has no attribute 'mlu'",
        "any/faq-why-has-the-module-torch-no-attribute-npu",
    ),
    (
        "AttributeError: module 'torch' has no attribute 'hpu'",
        "gaudi/faq-why-does-torch-have-no-attribute-hpu",
    ),
    (
        "AttributeError: module 'torch' has no attribute 'txda'",
        "tsingmicro/faq-why-does-torch-have-no",
    ),
    (
        "AttributeError: module 'torch' has no attribute 'xpu'",
        "any/faq-why-has-the-module-torch-no-attribute-compiler",
    ),
    ("AttributeError: module 'torch' has no attribute 'foo'", ""),
    (
        "RuntimeError: Expected one of cpu, cuda, xpu, hpu device type at start of device string: npu",
        "any/faq-why-has-the-module-torch-no-attribute-npu",
    ),
    (PIP.format("2.2.1, 2.2.2"), "cpu/faq-why-does-pip-find-no-pytorch-newer-than-2-2-2"),
    (PIP.format("2.2.2, 2.4.1"), "any/faq-why-does-pip-say-no-matching"),
    (PIP.format("none"), "any/faq-why-does-pip-say-no-matching"),
    (
        "conda install pytorch torchvision pytorch-cuda=12.4 -c pytorch -c nvidia",
        "any/faq-why-does-conda",
    ),
    ("packages are not available from current channels: - pytorch-lightning", ""),
    (
        "torch.backends.mps.is_available() returns False on my M1",
        "mps/faq-why-is-mps-built-but-not-available",
    ),
    ("Invalid device string: 'npu:0'", "any/faq-why-has-the-module-torch-no-attribute-npu"),
    (
        "RuntimeError: PyTorch is not linked with support for hpu devices",
        "any/faq-why-has-the-module-torch-no-attribute-npu",
    ),
    (
        "module 'torch.library' has no attribute 'register_fake'",
        "any/faq-why-has-the-module-torch-no-attribute-compiler",
    ),
    (
        "Cuda failure 'peer access is not supported between these two devices'",
        "cuda/faq-why-does-training-hang-with-several-gpus",
    ),
    ("dist.barrier() hangs with two RTX 4090", "cuda/faq-why-does-training-hang-with-several-gpus"),
    ("RTX 4090 DDP training hangs at init", "cuda/faq-why-does-training-hang-with-several-gpus"),
    (
        "RuntimeError: synStatus=26 [Generic failure] Device acquire failed.",
        "gaudi/faq-why-does-it-say-device-acquire-failed",
    ),
    (
        "UserWarning: Flash Efficient attention on Current AMD GPU is still experimental. Enable",
        "rocm/faq-is-the-warning-attention",
    ),
    (
        "Found NVIDIA GeForce GTX 1080 which is too old to be supported by the triton GPU compiler",
        "cuda/faq-why-is-my-gpu-too-old",
    ),
    ("UserWarning: 1Torch was not compiled with flash attention.", "any/faq-is-the-warning"),
    ("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "cuda/faq-what-does-cudnn-status-exec"),
    (
        "Memory access fault by GPU node-1 (Agent handle: 0x55d) on address 0x7f.",
        "rocm/faq-what-does-memory-access-fault",
    ),
    (
        "`[MPSNDArray initWithDevice:descriptor:] Error: total bytes of NDArray > 2**32'",
        "mps/faq-what-does-total-bytes-of-ndarray",
    ),
    ("/opt/amdgpu/share/libdrm/amdgpu.ids: No such file or directory", "rocm/faq-is-the-warn"),
    (
        "RuntimeError: [Rank:0] FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::672",
        "gaudi/faq-what-does-pt-devmem",
    ),
    (
        "EI0002: [PID: 1] 2025-06-25 The wait execution of the Notify register times out. Reason",
        "ascend/faq-what-does-ei0002",
    ),
    ("EZ9999: Inner Error!", "ascend/faq-what-does-inner-error"),
    ("RuntimeError: aclInit, error code is 507008", "ascend/faq-what-does-error-code-is-507008"),
    ("NPU function error, error code is 507048", "ascend/faq-what-does-error-code-is-507046"),
    ("CUDA error: misaligned address", "cuda/faq-what-does-cuda-error-misaligned-address"),
    ("CUBLAS_STATUS_EXECUTION_FAILED", "cuda/faq-what-does-cublas-status-execution-failed"),
    ("OSError: libsycl.so.8: cannot open shared object file", "xpu/faq-why-is-libsycl-so-8"),
    (
        "CUDA error: an illegal memory access was encountered\nSearch for `hipErrorIllegalAddress'",
        "rocm/faq-what-does-memory-access-fault",
    ),
    ("No module named 'torch_xla'", "tpu-xla/faq-why-is-there-no-module-named-torch-xla"),
    (
        "torch.cuda.is_available() returns False WSL2 Radeon 7900 XTX ROCm",
        "rocm/faq-how-do-i-use-an-amd-card-in-wsl2",
    ),
    (
        "torch.cuda.is_available() returns False WSL2 RTX 4090",
        "cuda/faq-why-does-torch-cuda-is-available",
    ),
    ("hipErrorInvalidDeviceFunction", "rocm/faq-why-do-i-get-hip-error-invalid"),
    ("KeyError: 'foo'", ""),
    ("hello world", ""),
]


def test_the_heading_of_an_answer_opens_it(open_page: OpenPage, site: Site) -> None:
    index = json.loads((site.root / "api/v1/questions.json").read_text(encoding="utf-8"))
    titles = dict(zip(index["questions"], index["titles"], strict=True))
    once = {key: title for key, title in titles.items() if index["titles"].count(title) == 1}
    found = open_page(QUESTIONS).evaluate(_ANSWERS, list(once.values()))
    assert [answer["opened"] for answer in found] == list(once)


def test_only_the_answer_that_declares_the_last_error_opens(open_page: OpenPage) -> None:
    answers = open_page(QUESTIONS).evaluate(_ANSWERS, [message for message, _ in DECLARED])
    for (message, right), found in zip(DECLARED, answers, strict=True):
        opened = found["opened"] or ""
        assert opened.startswith(right), message
        assert bool(opened) == bool(right), message


# A few words, and the beginning of the id of the first answer; None if there is none.
FEW: list[tuple[str, str | None]] = [
    ("RHEL 8 glibc", "any/faq-why-is-glibc"),
    ("CentOS 7", "any/faq-why-is-glibc"),
    ("alpine", "any/faq-does-pytorch-run-on-alpine"),
    ("NCCL hang", "cuda/faq-why-does-training-hang-with-several-gpus"),
    ("training hangs with several GPUs", "cuda/faq-why-does-training-hang-with-several-gpus"),
    ("no kernel image", "cuda/faq-what-does-no-kernel-image"),
    ("out of memory", "cuda/faq-what-can-i-do-about-cuda-out-of-memory"),
    ("cuda conda", "any/faq-why-does-conda-install-no-new"),
    ("jetson", "cuda/faq-why-does-pytorch-find-no-gpu-on-a-jetson"),
    ("NVML", "cuda/faq-w"),
    ("rocm windows", "rocm/faq-does-pytorch-run-on-amd-cards-on-windows"),
    ("NCCL_P2P_DISABLE", "cuda/faq-why-does-training-hang-with-several-gpus"),
    ("P2P", "cuda/faq-why-does-training-hang-with-several-gpus"),
    ("notebook", "any/faq-how-do-i-install-pytorch-in-a-notebook"),
    ("module torch no attribute foo", "any/faq-why-has-the-module-torch-no-attribute-compiler"),
    ("colab", "any/faq-how-do-i-install-pytorch-in-a-notebook"),
    ("banana", None),
    ("alpine banana", None),
    ("python", None),
]


def test_a_few_words_list_the_answers_that_have_all_of_them(open_page: OpenPage) -> None:
    answers = open_page(QUESTIONS).evaluate(_ANSWERS, [words for words, _ in FEW])
    for (words, first), found in zip(FEW, answers, strict=True):
        assert found["opened"] is None, words
        shown = [question[: len(first or "")] for question in found["found"][:1]]
        assert shown == ([first] if first else []), words


def test_answers_of_other_platforms_are_not_listed(open_page: OpenPage) -> None:
    message = "ImportError: /x/libtorch_npu.so: undefined symbol: _ZN3c104impl"
    (found,) = open_page(QUESTIONS).evaluate(_ANSWERS, [message])
    assert {question.split("/")[0] for question in found["found"]} <= {"any", "ascend"}


@pytest.mark.parametrize(
    "boilerplate",
    [
        "CUDA kernel errors might be asynchronously reported at some other API call.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        'Traceback (most recent call last):\n  File "/x/torch/cuda/__init__.py", line 3, in y\n    z()',
    ],
)
def test_boilerplate_alone_finds_no_answer(open_page: OpenPage, boilerplate: str) -> None:
    page = open_page(QUESTIONS)
    paste(page, boilerplate)
    expect(page.locator(".question-form [role=status]")).to_contain_text("No answer")
    expect(page.locator("details.question[open]")).to_have_count(0)


def test_no_answer_about_another_library_is_listed(open_page: OpenPage) -> None:
    page = open_page(QUESTIONS)
    results = page.locator(".question-results details")
    paste(page, "ImportError: /x/libcudart.so.12: cannot open shared object file: No such file")
    expect(results.first).to_have_attribute(
        "data-question", "cuda/faq-why-is-libcudart-so-not-found"
    )
    paste(page, "ImportError: /x/libqqzzxx.so.1: cannot open shared object file: No such file")
    expect(page.locator(".question-form [role=status]")).to_contain_text("No answer")
    expect(results).to_have_count(0)


def test_a_message_without_an_answer_leads_to_support(open_page: OpenPage) -> None:
    page = open_page(QUESTIONS)
    paste(page, "RuntimeError: MUSA frobnication quux")
    expect(page.locator(".question-form [role=status]")).to_contain_text(
        "No answer matches this message"
    )
    expect(page.locator("details.question[open]")).to_have_count(0)
    help_link = page.locator(".question-results .question-help a").first
    expect(help_link).to_have_attribute("href", "../compute-platforms/musa/#help")
    expect(page.locator(".question-results .question-add a").first).to_have_attribute(
        "href", re.compile("data/faq.md$")
    )


@pytest.mark.parametrize(
    "nonsense", ["qqzz xxyy", "\u4f60\u597d", "\x00", "x" * 100_000, "A." * 50_000, "_" * 100_000]
)
def test_no_paste_leaves_the_page_empty(open_page: OpenPage, nonsense: str) -> None:
    page = open_page(QUESTIONS)
    paste(page, nonsense)
    status = page.locator(".question-form [role=status]")
    expect(status).to_contain_text("No answer matches this message. Select your platform")
    assert len(page.evaluate(_SHOWN)) == page.locator(".question-group").count()
    page.locator("select[name=platform]").select_option("musa")
    expect(status).to_contain_text("all questions about MUSA")
    expect(page.locator(".question-group:visible .question-help a").first).to_have_attribute(
        "href", "../compute-platforms/musa/#help"
    )


def test_a_long_paste_is_answered_and_its_address_stays_short(open_page: OpenPage) -> None:
    page = open_page(QUESTIONS)
    paste(page, "12:33:01 a line of a log\n" * 4_000 + "ImportError: libhccl.so: cannot open")
    first = page.locator(".question-results details").first
    expect(first).to_have_attribute(
        "data-question", "ascend/faq-why-does-torch-npu-not-find-libhccl-so"
    )
    assert len(page.url) < 2_000
    page.evaluate("location.hash = 'sources'")  # the form keeps the whole message
    page.wait_for_timeout(50)
    assert len(page.locator("textarea[name=text]").input_value()) > 90_000
    page.reload()
    expect(first).to_have_attribute(
        "data-question", "ascend/faq-why-does-torch-npu-not-find-libhccl-so"
    )


def test_an_address_holds_the_message_and_the_platform(open_page: OpenPage) -> None:
    text = "libcudart.so.12: cannot open"
    page = open_page(f"{QUESTIONS}?text={quote(text)}&platform=cuda")
    expect(page.locator("textarea[name=text]")).to_have_value(text)
    first = page.locator(".question-results details").first
    expect(first).to_have_attribute("data-question", "cuda/faq-why-is-libcudart-so-not-found")


def test_an_index_that_could_not_be_read_early_is_read_for_a_pasted_message(
    opened: Callable[..., Opened],
) -> None:
    page = opened(QUESTIONS).page
    page.route("**/questions.json", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.locator("textarea[name=text]").focus()
    page.unroute("**/questions.json")
    paste(page, "libcudart.so.12: cannot open")
    expect(page.locator(".question-results details").first).to_be_visible()


def test_without_scripts_every_question_stands_under_its_platform(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page(QUESTIONS, java_script_enabled=False)
    expect(page.locator(".question-form")).to_be_hidden()
    names = page.locator(".question-group > summary > h2").all_inner_texts()
    assert names[1:] == [p.accelerator.name for p in site.catalog.platforms if p.faq.sections]
    assert names[0] == "All platforms"


def test_the_sites_search_puts_questions_first(open_page: OpenPage) -> None:
    page = open_page()
    box = page.locator(".md-search__input")
    box.click()
    for message, anchor in SEARCHED:
        box.fill("")
        box.fill(message[:-1])
        box.press(message[-1])
        # Links without an anchor are pages; the section that follows them must be the answer.
        link = page.locator(".md-search-result__link[href*='#']").first
        expect(link).to_have_attribute("href", re.compile(f"#faq-.*{anchor}"))


def test_the_sites_search_hands_its_words_to_the_page_of_questions(open_page: OpenPage) -> None:
    page = open_page()
    box = page.locator(".md-search__input")
    box.click()
    box.press_sequentially("cuda conda")
    page.locator(".md-search-result__link[href$='questions/']").first.click()
    expect(page.locator("textarea[name=text]")).to_have_value("cuda conda")
    expect(page.locator(".question-results details").first).to_have_attribute(
        "data-question", re.compile("^any/faq-why-does-conda-install-no-new")
    )
