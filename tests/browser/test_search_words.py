"""The site's own search brings the right page first for the words that people use."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.built_site import Site

# For each word the pages or sections that answer it; one of them must be the first result.
WORDS: dict[str, tuple[str, ...]] = {
    "nightly": ("get-started/", "glossary/#nightly-build"),
    "preview": ("get-started/",),
    "install": ("get-started/",),
    "upgrade": ("get-started/",),
    "docker": ("get-started/",),
    "conda": ("get-started/",),
    "uninstall": ("questions/",),
    "faq": ("questions/",),
    "error message": ("questions/",),
    "version": ("versions/",),
    "python 3.13": ("versions/",),
    "release notes": ("versions/",),
    "windows": ("compute-platforms/",),
    "gpu": ("hardware/", "compute-platforms/"),
    "hardware": ("hardware/",),
    "benchmark": ("hardware/",),
    "compare": ("compare/", "results/compare/"),
    "nvidia": ("compute-platforms/cuda/",),
    "amd": ("compute-platforms/rocm/",),
    "apple": ("compute-platforms/mps/",),
    "tpu": ("compute-platforms/tpu/", "compute-platforms/tpu-xla/"),
    "regression": ("glossary/#regression", "results/changes/", "results/dashboard/"),
    "dashboard": ("results/dashboard/",),
    "legend": ("glossary/#legend", "results/"),
    "duckdb": ("results/ask/",),
    "llama": ("results/by-model/llama/", "results/by-model/"),
    "skip list": ("glossary/#known-issue",),
    "xfail": ("glossary/#known-issue",),
    "known issue": ("glossary/#known-issue",),
    "ci": ("glossary/#ci",),
    "hud": ("glossary/#relay", "contribute/new-backend/"),
    "wheel": ("glossary/#wheel",),
    "driver": ("glossary/#driver",),
    "baseline": ("glossary/#baseline",),
    "flaky": ("glossary/#flaky",),
    "dispatch key": ("glossary/#dispatch-key",),
    "autoload": ("glossary/#autoloading", "run-anywhere/"),
    "privateuse1": ("glossary/#privateuse1", "contribute/new-backend/"),
    "junit": ("contribute/report/",),
    "validate": ("contribute/validate/",),
    "executorch": ("contribute/executorch/",),
    "libtorch": ("get-started/",),
    "wsl2": ("get-started/",),
    "jetson": ("compute-platforms/cuda/",),
    "alpine": ("get-started/", "questions/"),
    "offline": ("get-started/",),
    "container": ("get-started/",),
    "7900 xtx": ("compute-platforms/rocm/",),
    "rtx 5090": ("compute-platforms/cuda/",),
    "m4": ("compute-platforms/mps/",),
    "cann": ("compute-platforms/ascend/",),
    "ascend 910b": ("compute-platforms/ascend/",),
    "trainium": ("compute-platforms/neuron/",),
    "core ultra": ("compute-platforms/xpu/",),
    "intel arc": ("compute-platforms/xpu/",),
    "tpu v5e": ("compute-platforms/tpu/", "compute-platforms/tpu-xla/"),
    "bfloat16": ("features/",),
    "distributed": ("features/",),
    "no kernel image": ("compute-platforms/cuda/",),
    "glibc": ("questions/", "compute-platforms/cpu/"),
    "older version": ("versions/",),
    "mirror": ("compute-platforms/ascend/",),
    "blackwell": ("compute-platforms/cuda/",),
    "gaudi 3": ("compute-platforms/gaudi/",),
    "raspberry pi": ("compute-platforms/cpu/", "questions/"),
    "torch.compile": ("features/",),
    "out of memory": ("compute-platforms/cuda/", "questions/"),
    "windows rocm": ("compute-platforms/rocm/",),
    "rocm windows": ("compute-platforms/rocm/",),
    "uv": ("get-started/",),
    "apple m4": ("compute-platforms/mps/",),
    "npu": ("compute-platforms/ascend/", "compute-platforms/", "hardware/"),
    "quantization": ("features/",),
    "fsdp": ("features/",),
    "cuda 13": ("compute-platforms/cuda/",),
    "cuda 12.6": ("compute-platforms/cuda/",),
    "cuda version": ("compute-platforms/cuda/", "versions/"),
    "how to uninstall pytorch": ("questions/",),
    "flash attention": ("features/",),
    "flashattention": ("features/",),
    "rtx 4090": ("compute-platforms/cuda/",),
    "h100": ("compute-platforms/cuda/",),
    "gtx 1080": ("compute-platforms/cuda/",),
    "rtx 3060": ("compute-platforms/cuda/",),
    "mi300x": ("compute-platforms/rocm/",),
    "strix halo": ("compute-platforms/rocm/",),
    "radeon": ("compute-platforms/rocm/",),
    "rx 6600": ("compute-platforms/rocm/",),
    "arc b580": ("compute-platforms/xpu/",),
    "macbook": ("compute-platforms/mps/",),
    "torch_npu": ("compute-platforms/ascend/",),
    "huawei": ("compute-platforms/ascend/",),
    "torch_xla": ("compute-platforms/tpu-xla/",),
    "inferentia": ("compute-platforms/neuron/",),
    "aws": ("compute-platforms/neuron/",),
    "moore threads": ("compute-platforms/musa/",),
    "cambricon": ("compute-platforms/mlu/",),
    "directml": ("compute-platforms/directml/",),
    "tenstorrent": ("compute-platforms/tenstorrent/",),
    "qualcomm": ("compute-platforms/qaic/",),
    "onnx": ("features/", "other-ways/"),
    "openvino": ("other-ways/",),
    "tensorrt": ("other-ways/",),
    "ubuntu": ("get-started/", "compute-platforms/", "questions/"),
    "python 3.14": ("versions/",),
    "torch 2.6": ("versions/2.6.0/", "versions/"),
    "previous versions": ("versions/",),
    "requirements": ("get-started/", "results/standards/"),
    "torchvision": ("versions/", "questions/"),
    "torchaudio": ("versions/", "questions/", "compute-platforms/cuda/"),
    "torch.cuda.is_available false": ("compute-platforms/cuda/", "questions/"),
    "cuda not available": ("compute-platforms/cuda/", "questions/"),
    "hip error": ("compute-platforms/rocm/",),
    "import error": ("questions/",),
    "dll load failed": ("questions/", "compute-platforms/cpu/"),
    "illegal instruction": ("questions/", "compute-platforms/cpu/"),
    "add my platform": ("contribute/",),
    "new backend": ("contribute/new-backend/",),
    "test results": ("results/",),
    "gpu cloud": ("hardware/",),
    "amp": ("features/",),
    "mixed precision": ("features/",),
    "cpu only": ("compute-platforms/cpu/",),
    "nccl": ("compute-platforms/cuda/",),
    "multi gpu": ("features/",),
    "device": ("run-anywhere/",),
    "proxy": ("get-started/",),
    "firewall": ("get-started/",),
    "venv": ("get-started/",),
    "air gapped": ("get-started/",),
    "pip download": ("get-started/",),
    "cpu wheels": ("compute-platforms/cpu/",),
    "graviton": ("compute-platforms/cpu/", "hardware/"),
    "xeon": ("compute-platforms/cpu/",),
    "ryzen ai": ("compute-platforms/rocm/", "hardware/"),
    "a100": ("compute-platforms/cuda/",),
    "l40s": ("compute-platforms/cuda/",),
    "t4": ("compute-platforms/cuda/",),
    "gb200": ("compute-platforms/cuda/",),
    "v100": ("compute-platforms/cuda/",),
    "driver 550": ("compute-platforms/cuda/",),
    "cudnn": ("compute-platforms/cuda/", "glossary/"),
    "rocm 7": ("compute-platforms/rocm/",),
    "mi250": ("compute-platforms/rocm/",),
    "metal": ("compute-platforms/mps/",),
    "oneapi": ("compute-platforms/xpu/",),
    "sycl": ("compute-platforms/xpu/",),
    "neuron sdk": ("compute-platforms/neuron/",),
    "whisper": ("results/by-model/whisper/",),
    "resnet": ("results/by-model/resnet/",),
    "bert": ("results/by-model/bert/",),
    "stable diffusion": ("results/by-model/stable-diffusion/", "results/by-model/"),
    "fp8": ("features/",),
    "int4": ("features/", "results/"),
    "ddp": ("features/", "glossary/"),
    "dtensor": ("features/",),
    "hccl": ("compute-platforms/ascend/",),
    "musa": ("compute-platforms/musa/",),
    "s4000": ("compute-platforms/musa/",),
    "mlu370": ("compute-platforms/mlu/",),
    "dcu": ("compute-platforms/hygon/",),
    "kunlun": ("compute-platforms/kunlunxin/",),
    "spyre": ("compute-platforms/spyre/",),
    "cloud ai 100": ("compute-platforms/qaic/",),
    "wormhole": ("compute-platforms/tenstorrent/",),
    "api": ("results/ask/",),
    "segmentation fault": ("questions/", "compute-platforms/"),
    "killed": ("questions/",),
    "no module named torch": ("questions/",),
}

CHINESE: dict[str, tuple[str, ...]] = {
    "昇腾": ("zh/compute-platforms/ascend/",),
    "华为": ("zh/compute-platforms/ascend/",),
    "昇腾 910B": ("zh/compute-platforms/ascend/",),
    "寒武纪": ("zh/compute-platforms/mlu/",),
    "思元": ("zh/compute-platforms/mlu/",),
    "摩尔线程": ("zh/compute-platforms/musa/",),
    "沐曦": ("zh/compute-platforms/metax/",),
    "曦云": ("zh/compute-platforms/metax/",),
    "燧原": ("zh/compute-platforms/enflame/",),
    "燧原科技": ("zh/compute-platforms/enflame/",),
    "昆仑芯": ("zh/compute-platforms/kunlunxin/",),
    "百度": ("zh/compute-platforms/kunlunxin/",),
    "海光": ("zh/compute-platforms/hygon/",),
    "天数智芯": ("zh/compute-platforms/iluvatar/",),
    "壁仞": ("zh/compute-platforms/biren/",),
    "算能": ("zh/compute-platforms/sophgo/",),
    "英伟达": ("zh/compute-platforms/cuda/",),
    "苹果": ("zh/compute-platforms/mps/",),
    "安装": ("zh/",),
    "下载": ("zh/",),
    "显卡": ("zh/hardware/", "zh/"),
    "快速入门": ("zh/get-started/",),
    "离线安装": ("zh/get-started/",),
    "容器": ("zh/get-started/",),
    "旧版本": ("zh/get-started/",),
    "报错": ("zh/questions/",),
    "错误信息": ("zh/questions/",),
    "内存不足": ("zh/questions/",),
    "卸载": ("zh/questions/",),
    "硬件": ("zh/hardware/",),
    "版本": ("zh/versions/",),
    "术语": ("zh/glossary/",),
    "测试结果": ("zh/results/",),
    "仪表板": ("zh/results/dashboard/",),
    "大模型": ("zh/results/by-model/",),
    "参与贡献": ("zh/contribute/",),
}
WORDS |= CHINESE

# Material's messages: 0 sets the index up, 2 asks.
_ASK = """async ([worker, words]) => {
  const index = await (await fetch("search/search_index.json")).json();
  const search = new Worker(worker);
  const ask = (message) => new Promise((resolve) => {
    search.onmessage = ({ data }) => resolve(data);
    search.postMessage(message);
  });
  await ask({ type: 0, data: { ...index, options: { suggest: false } } });
  const first = {};
  for (const word of words) {
    const { items } = (await ask({ type: 2, data: word })).data;
    first[word] = items[0]?.[0].location ?? "";
  }
  return first;
}"""


@pytest.fixture(scope="module")
def first_results(browser: Browser, origin: str, site: Site) -> Any:  # noqa: ANN401 - from JSON
    """The first result for each word, by the worker that the search of the page uses."""
    (worker,) = (site.root / "assets/javascripts/workers").glob("search.*.min.js")
    page = browser.new_page()
    page.goto(origin)
    found = page.evaluate(_ASK, [worker.relative_to(site.root).as_posix(), list(WORDS)])
    page.close()
    return found


@pytest.mark.parametrize("word", WORDS)
def test_the_right_page_comes_first(first_results: dict[str, str], word: str) -> None:
    location = first_results[word]
    page = location.partition("#")[0]
    assert location in WORDS[word] or page in WORDS[word], location
