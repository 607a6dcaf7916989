"""Runs the checks of the modules that are named, and prints a line of JSON for each."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
import traceback

LIMIT_S = 180


async def main() -> None:
    for module in map(importlib.import_module, sys.argv[1:]):
        for name, check in vars(module).items():
            if not name.startswith("check_"):
                continue
            error, begun = None, time.monotonic()
            try:
                await asyncio.wait_for(check(), LIMIT_S)
            except Exception:
                error = traceback.format_exc()
            seconds = round(time.monotonic() - begun, 1)
            result = {"check": name[6:].replace("_", " "), "error": error, "seconds": seconds}
            print(json.dumps(result), flush=True)


asyncio.run(main())
