"""Measures every published check and prints the page; exits with 1 if one is out of tolerance.

Run: python -m mission.published > docs/published.md
"""

from __future__ import annotations

import sys

from mission.published import CHECKS, failures
from mission.published.table import page

if __name__ == "__main__":
    sys.stdout.write(page(CHECKS))
    wrong = [line for check in CHECKS for line in failures(check)]
    sys.stderr.write("".join(f"{line}\n" for line in wrong))
    sys.exit(1 if wrong else 0)
