"""An invented checkout: folders and classes as TorchBench has them, each model with one trait."""

from __future__ import annotations

from pathlib import Path

BASE = '''
import sys

import torch

def patched(seed):
    return None

class BenchmarkModel:
    """Makes what every model has, and changes the process as the original does."""

    def __init__(self, test, device, batch_size=None, extra_args=()):
        sys.stderr.write(f"made by {__file__}\\n")
        torch.manual_seed(7)
        torch.manual_seed = patched
        torch.use_deterministic_algorithms(True)
        self.test, self.device = test, device
        self.model = torch.nn.Sequential(
            torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)
        ).to(device)
        self.inputs = (torch.ones(3, 4).to(device),)

    def get_module(self):
        return self.model, self.inputs

    def invoke(self):
        out = self.model(*self.inputs)
        if self.test == "train":
            out.sum().backward()
        return (out,)
'''

MODELS = {
    "plain": "class Model(BenchmarkModel):\n    pass\n",
    "named": (
        "class Model(BenchmarkModel):\n"
        "    def get_module(self):\n"
        "        return self.model, {'input': self.inputs[0]}\n"
    ),
    "nested": (
        "import torch\n\n"
        "class Sum(torch.nn.Module):\n"
        "    def __init__(self, inner):\n"
        "        super().__init__()\n"
        "        self.inner = inner\n\n"
        "    def forward(self, tables):\n"
        "        return sum(map(self.inner, tables))\n\n"
        "class Model(BenchmarkModel):\n"
        "    def get_module(self):\n"
        "        return Sum(self.model), ([*self.inputs, *self.inputs],)\n"
    ),
    "only_eval": (
        "class Model(BenchmarkModel):\n"
        "    def __init__(self, test, device, batch_size=None, extra_args=()):\n"
        "        if test == 'train':\n"
        "            raise NotImplementedError('The train test is not there.')\n"
        "        super().__init__(test, device)\n"
    ),
    "secret": (
        "class Model(BenchmarkModel):\n"
        "    def get_module(self):\n"
        "        raise NotImplementedError('no module')\n"
    ),
    "random": (
        "import torch\n\n"
        "class Noise(torch.nn.Linear):\n"
        "    def forward(self, value):\n"
        "        return super().forward(value) + torch.randn(2, device=value.device)\n\n"
        "class Model(BenchmarkModel):\n"
        "    def __init__(self, test, device, batch_size=None, extra_args=()):\n"
        "        super().__init__(test, device)\n"
        "        self.model = Noise(4, 2).to(device)\n"
    ),
    "fixed_batch": (
        "class Model(BenchmarkModel):\n"
        "    def __init__(self, test, device, batch_size=None, extra_args=()):\n"
        "        if batch_size is not None:\n"
        "            raise NotImplementedError('The batch is fixed.')\n"
        "        super().__init__(test, device)\n"
    ),
    "trained": (
        "from torchvision.models import resnet18, ResNet18_Weights\n\n"
        "class Model(BenchmarkModel):\n"
        "    def __init__(self, test, device, batch_size=None, extra_args=()):\n"
        "        super().__init__(test, device)\n"
        "        assert ResNet18_Weights.DEFAULT.get_state_dict() == {}\n"
        "        resnet18(weights=ResNet18_Weights.DEFAULT)\n"
    ),
    "unready": "import a_package_that_nobody_has\n",
    "broken": (
        "class Model(BenchmarkModel):\n"
        "    def invoke(self):\n"
        "        raise RuntimeError('the step stops')\n"
    ),
}


def make_checkout(folder: Path) -> Path:
    """Write it, and return the folder to name on the command line."""
    models = folder / "torchbenchmark" / "models"
    (models / "without_a_file").mkdir(parents=True)
    (folder / "torchbenchmark" / "__init__.py").write_text("", "utf-8")
    (folder / "torchbenchmark" / "base.py").write_text(BASE, "utf-8")
    for name, text in MODELS.items():
        (models / name).mkdir()
        head = "from torchbenchmark.base import BenchmarkModel\n\n"
        (models / name / "__init__.py").write_text(head + text, "utf-8")
    return folder
