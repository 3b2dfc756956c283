"""`python -m bench`: the same as `bench-analyze`."""

from __future__ import annotations

import sys

from bench.cli import main

if __name__ == "__main__":
    sys.exit(main())
