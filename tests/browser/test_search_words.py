"""The site's own search brings the right page first for the words that people use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.made_once import made_once

# Pages and sections, and the words that they answer: one of them must be the first result.
# An error message leads to the page of questions, which then shows the answer: see test_question_search.py.
PAGES = {
    "get-started/ glossary/#nightly-build": "nightly",
    "get-started/ versions/upgrade/": "upgrade, upgrade pytorch, how to upgrade pytorch",
    "get-started/": "preview, install, docker, libtorch, wsl2, offline, container, uv, proxy, firewall, venv, air gapped, pip download, mirror",
    "questions/ get-started/": "uninstall pytorch, reinstall pytorch, remove pytorch, switch from cpu to cuda",
    "questions/": "flexattention, conda pytorch channel, upgrade pytorch conda, no solution found when resolving dependencies, libtorch windows cmake, conda, notebook, colab, jupyter, uninstall, faq, error message, how to uninstall pytorch, import error, killed, no module named torch, "
    "no kernel image, out of memory, cuda conda",
    "get-started/ questions/": "alpine, conda install pytorch old version",
    "compute-platforms/cuda/ questions/": "torch.cuda.is_available false, cuda not available, pytorch-cuda, distributeddataparallel, torchrun, winerror 1455",
    "versions/": "version, python 3.13, release notes, older version, python 3.14, previous versions, cu116, torch 1.13.1, 1.13.1",
    "compute-platforms/": "windows, groq, graphcore, sambanova, mtia",
    "hardware/ compute-platforms/": "gpu",
    "hardware/": "hardware, benchmark, gpu cloud",
    "compare/ results/compare/": "compare",
    "compute-platforms/cuda/": "nvidia, jetson, rtx 5090, blackwell, cuda 13, cuda 12.6, rtx 4090, h100, gtx 1080, rtx 3060, nccl, a100, l40s, t4, gb200, v100, jetson jetpack, jetpack 6",
    "compute-platforms/rocm/": "amd, 7900 xtx, windows rocm, rocm windows, mi300x, strix halo, radeon, rx 6600, hip error, rocm 7, mi250, gfx1030, render group permission /dev/kfd",
    "compute-platforms/mps/": "apple, m4, apple m4, macbook, metal",
    "compute-platforms/tpu/ compute-platforms/tpu-xla/": "tpu, tpu v5e, tpu pip",
    "glossary/#regression results/changes/ results/dashboard/": "regression",
    "results/dashboard/": "dashboard",
    "glossary/#legend results/": "legend",
    "results/ask/": "duckdb, api",
    "results/by-model/llama/ results/by-model/": "llama",
    "glossary/#known-issue": "skip list, known issue",
    "glossary/#known-issue contribute/validate/": "xfail",
    "glossary/#ci": "ci",
    "glossary/#relay contribute/new-backend/": "hud",
    "glossary/#wheel": "wheel",
    "glossary/#driver": "driver",
    "glossary/#baseline": "baseline",
    "glossary/#flaky": "flaky",
    "glossary/#dispatch-key": "dispatch key",
    "glossary/#autoloading run-anywhere/": "autoload",
    "glossary/#privateuse1 contribute/new-backend/": "privateuse1",
    "contribute/report/": "junit",
    "contribute/validate/": "validate",
    "contribute/executorch/": "executorch",
    "compute-platforms/ascend/": "cann, ascend 910b, torch_npu, huawei, hccl, torch_npu 2.4.0 cann 8.0.0, cann 8.0.rc3, CANN 8.0.RC3",
    "compute-platforms/neuron/": "trainium, inferentia, aws, neuron sdk",
    "compute-platforms/xpu/": "core ultra, intel arc, arc b580, oneapi, sycl, xpu pip",
    "features/": "bfloat16, distributed, torch.compile, quantization, fsdp, flash attention, flashattention, amp, mixed precision, multi gpu, fp8, dtensor",
    "questions/ compute-platforms/cpu/": "glibc, dll load failed, illegal instruction",
    "compute-platforms/gaudi/": "gaudi 3, gaudi 1.20",
    "compute-platforms/cpu/ questions/": "raspberry pi",
    "compute-platforms/ascend/ compute-platforms/xpu/ compute-platforms/rocm/ compute-platforms/ hardware/": "npu",
    "compute-platforms/cuda/ versions/": "cuda version",
    "compute-platforms/tpu-xla/": "torch_xla",
    "compute-platforms/musa/": "moore threads, musa, s4000, torch_musa 1.3.0",
    "compute-platforms/mlu/": "cambricon, mlu370",
    "compute-platforms/directml/": "directml",
    "compute-platforms/tenstorrent/": "tenstorrent, wormhole",
    "results/by-model/gemma/": "gemma training, gemma 3 27b",
    "compute-platforms/qaic/": "qualcomm, cloud ai 100",
    "features/ other-ways/": "onnx",
    "other-ways/": "openvino, tensorrt, iree, migraphx, axelera, mobilint, deepx, kneron",
    "get-started/ compute-platforms/ questions/": "ubuntu",
    "versions/2.6.0/ versions/": "torch 2.6",
    "get-started/ results/standards/": "requirements",
    "versions/ questions/": "torchvision",
    "versions/ questions/ compute-platforms/cuda/": "torchaudio",
    "contribute/": "add my platform",
    "contribute/new-backend/": "new backend",
    "results/": "test results",
    "compute-platforms/cpu/": "cpu only, cpu wheels, xeon",
    "run-anywhere/": "device",
    "compute-platforms/cpu/ hardware/": "graviton",
    "compute-platforms/rocm/ hardware/": "ryzen ai",
    "compute-platforms/cuda/ glossary/": "cudnn",
    "results/by-model/whisper/": "whisper, whisper inference, whisper large v3",
    "results/by-model/resnet/": "resnet, resnet training",
    "results/by-model/bert/": "bert, bert training",
    "results/by-model/stable-diffusion/ results/by-model/": "stable diffusion",
    "features/ results/": "int4",
    "features/ glossary/": "ddp",
    "compute-platforms/hygon/": "dcu",
    "compute-platforms/kunlunxin/": "kunlun",
    "compute-platforms/spyre/": "spyre",
    "questions/ compute-platforms/": "segmentation fault",
    # A model and what one does with it, a platform and a feature or a way to install.
    "results/by-model/qwen/": "qwen training, qwen fine-tune, qwen3 32b",
    "results/by-model/llama/": "llama training, llama inference, llama fine-tuning, llama 3.1 8b",
    "results/by-model/mistral/": "mistral inference",
    "results/by-model/stable-diffusion/": "stable diffusion inference",
    "features/ compute-platforms/rocm/": "rocm fsdp",
    "features/ compute-platforms/mps/": "mps torch.compile",
    "features/ compute-platforms/ascend/": "ascend quantization",
    "features/ compute-platforms/xpu/": "xpu bf16",
    "features/ compute-platforms/gaudi/": "gaudi fp8",
    "compute-platforms/rocm/ get-started/": "rocm docker",
    "compute-platforms/gaudi/ get-started/": "gaudi docker",
    "compute-platforms/ascend/ get-started/": "ascend docker",
}

CHINESE_PAGES = {
    "zh/compute-platforms/ascend/": "昇腾, 华为, 昇腾 910B, 华为昇腾 安装, 昇腾如何安装 torch_npu",
    "zh/compute-platforms/mlu/": "寒武纪, 思元, 寒武纪安装 pytorch",
    "zh/compute-platforms/musa/": "摩尔线程",
    "zh/compute-platforms/metax/": "沐曦, 曦云, C500",
    "zh/compute-platforms/enflame/": "燧原, 燧原科技",
    "zh/compute-platforms/kunlunxin/": "昆仑芯, 百度, 昆仑芯怎么安装",
    "zh/compute-platforms/hygon/": "海光, 海光 DTK",
    "zh/compute-platforms/iluvatar/": "天数智芯, 天垓",
    "zh/compute-platforms/biren/": "壁仞, 壁仞科技 torch",
    "zh/compute-platforms/sophgo/": "算能",
    "zh/compute-platforms/cuda/": "英伟达, RTX 4090, 英伟达 驱动",
    "zh/compute-platforms/rocm/": "AMD 显卡",
    "zh/compute-platforms/qaic/": "高通",
    "zh/compute-platforms/neuron/": "亚马逊",
    "zh/compute-platforms/tpu/ zh/compute-platforms/tpu-xla/": "谷歌",
    "zh/compute-platforms/mps/": "苹果",
    "zh/": "安装, 下载",
    "zh/hardware/ zh/": "显卡",
    "zh/get-started/": "快速入门, 离线安装, 容器, 旧版本, 镜像源, 如何离线安装, 如何验证安装是否成功",
    "zh/get-started/ zh/versions/upgrade/": "升级",
    "zh/questions/": "报错, 错误信息, 内存不足, 卸载, 段错误, ImportError, 怎么卸载 pytorch, 显存不足怎么办, 非法指令",
    "zh/hardware/": "硬件",
    "zh/versions/": "版本, CUDA 版本",
    "zh/glossary/": "术语",
    "zh/results/": "测试结果",
    "zh/results/dashboard/": "仪表板",
    "zh/results/by-model/": "大模型",
    "zh/results/by-model/qwen/": "通义千问",
    "zh/results/by-model/llama/": "Llama 推理",
    "zh/features/": "混合精度, 分布式训练, 哪些平台支持分布式训练, 支持量化吗",
    "zh/contribute/": "参与贡献, 如何添加新的平台",
}
WORDS = {
    word: pages.split()
    for pages, words in {**PAGES, **CHINESE_PAGES}.items()
    for word in words.split(", ")
}

# Material's messages: 2 asks.
_ASK = """async ([worker, words]) => {
  const search = new Worker(worker);
  const ask = (data) => new Promise((resolve) => {
    search.onmessage = ({ data: { data: found } }) => found.query === data && resolve(found.items);
    search.postMessage({ type: 2, data });
  });
  const first = {};
  for (const word of words) first[word] = (await ask(word))[0]?.[0].location ?? "";
  return first;
}"""


@pytest.fixture(scope="module")
def first_results(
    browser: Browser, origin: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The first result for each word, by the worker that the search of the page uses."""

    def ask(folder: Path) -> None:
        page = browser.new_page()
        page.goto(origin)
        found: dict[str, str] = {}
        for language, pages in (("en", PAGES), ("zh", CHINESE_PAGES)):
            words = [word for text in pages.values() for word in text.split(", ")]
            found |= page.evaluate(_ASK, [f"assets/scripts/search.js#{language}", words])
        page.close()
        folder.mkdir()
        (folder / "found.json").write_text(json.dumps(found), "utf-8")

    asked = made_once(tmp_path_factory, "search-words", ask)
    return json.loads((asked / "found.json").read_text("utf-8"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("word", WORDS)
def test_the_right_page_comes_first(first_results: dict[str, str], word: str) -> None:
    location = first_results[word]
    page = location.partition("#")[0]
    assert location in WORDS[word] or page in WORDS[word], location
