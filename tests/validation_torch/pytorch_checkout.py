"""An invented checkout of PyTorch: files of tests as PyTorch has them, each test with one trait."""

from __future__ import annotations

import textwrap
from pathlib import Path

SMALL = """
    import os
    import signal
    import unittest

    import torch
    from torch.testing._internal.common_device_type import (
        dtypes, expectedFailure, expectedFailureCUDA, instantiate_device_type_tests, onlyCUDA)
    from torch.testing._internal.common_utils import TestCase, parametrize, run_tests, subtest

    class TestSmall(TestCase):
        @dtypes(torch.float32, torch.int64)
        def test_add(self, device, dtype):
            one = torch.ones(3, device=device, dtype=dtype)
            self.assertEqual((one + one).cpu(), torch.full((3,), 2, dtype=dtype))

        def test_device(self, device):
            self.assertEqual(torch.ones(2, device=device).device.type, torch.device(device).type)

        @dtypes(torch.float32)
        def test_wrong(self, device, dtype):
            self.assertEqual(torch.ones(2, device=device, dtype=dtype).cpu(), torch.zeros(2))

        def test_raises(self, device):
            raise RuntimeError("the driver says no")

        def test_lacks(self, device):
            import no_such_package_at_all

        @unittest.skip(f"nobody wants it: {__file__}")
        def test_left_out(self, device):
            raise RuntimeError

        @onlyCUDA
        def test_only_cuda(self, device):
            raise RuntimeError

        @unittest.expectedFailure
        def test_expected(self, device):
            self.assertEqual(1, 2)

        @unittest.expectedFailure
        def test_unexpected(self, device):
            pass

        @expectedFailure(None)
        def test_device_unexpected(self, device):
            pass

        @expectedFailure(None)
        def test_device_expected(self, device):
            self.assertEqual(1, 2)

        @expectedFailureCUDA
        def test_elsewhere(self, device):
            pass

        @parametrize("n", [subtest(1, name="one", decorators=[unittest.expectedFailure])])
        def test_marked(self, device, n):
            pass

        def test_crash(self, device):
            os.kill(os.getpid(), signal.SIGSEGV)

        def test_subtests(self, device):
            for number in range(3):
                with self.subTest(number=number):
                    self.assertNotEqual(number, 1)

    @unittest.expectedFailure
    class TestFailing(TestCase):
        def test_passes(self, device):
            pass

    class TestForCuda(TestCase):
        def test_never(self, device):
            pass

    class TestUnmakeable(TestCase):
        @dtypes()
        def test_good(self, device):
            pass

        def test_bad(self, device):
            pass
        test_bad.dtypes = {"cuda": [torch.float32]}  # PyTorch refuses: no types for all devices

    class TestPlain(TestCase):
        def test_plain(self):
            pass

    instantiate_device_type_tests(TestSmall, globals())
    instantiate_device_type_tests(TestFailing, globals())
    instantiate_device_type_tests(TestForCuda, globals(), only_for="cuda")
    instantiate_device_type_tests(TestUnmakeable, globals())

    if __name__ == "__main__":
        run_tests()
"""

OTHER = """
    import sys
    from enum import Enum

    import torch
    from torch.testing._internal.common_device_type import instantiate_device_type_tests
    from torch.testing._internal.common_utils import TestCase

    try:
        from torch.testing._internal.common_utils import HardwareClassification
    except ImportError:  # PyTorch 2.13 and older; the names and values are those of 2.14
        class HardwareClassification(Enum):
            GENERIC = "generic"
            ACCELERATOR = "accelerator"

    class TestOther(TestCase):
        hw_classification = HardwareClassification.ACCELERATOR

        def test_alone(self, device):
            self.assertNotIn("test_small", sys.modules)

    instantiate_device_type_tests(TestOther, globals())
"""

FILES = {
    "test_small": SMALL,
    "nn/test_other": OTHER,
    "test_unready": "import no_such_package_at_all\n",
    "test_skipped": "import unittest\nraise unittest.SkipTest(f'no compiler: {__file__}')\n",
    "test_dying": "import os\nos._exit(7)\n",
}


def make_checkout(folder: Path, version: str) -> Path:
    """Write the checkout into an empty folder and return it."""
    for name, text in FILES.items():
        path = folder / "test" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
    (folder / "version.txt").write_text(f"{version}\n", "utf-8")
    return folder
