"""What `test_side_process` runs: a program that answers, hangs or leaves a daemon behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from accelerator_validation.side_process import print_result


def main() -> int:
    """Do what the first argument says."""
    what, *note = sys.argv[1:]
    if what == "answer":
        print_result(sys.stdin.read())
        sys.stdout.write("3 blocks were freed\n")
        sys.stderr.write("said\n")
        return 3
    if what == "daemon":
        daemon = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(note[0]).write_text(str(daemon.pid))
        sys.stdout.write("left a daemon\n")
        return 0
    sys.stderr.write("one\ntwo\nthr")
    sys.stderr.flush()
    sys.stdout.write("hangs\n")
    sys.stdout.flush()
    for file in note:
        Path(file).write_text(str(os.getpid()))
    time.sleep(600)
    return 0


if __name__ == "__main__":
    sys.exit(main())
