"""Runs a Pulumi program as Pulumi's own launcher does: a process of its own that talks gRPC to an engine.

Takes its settings from the environment, as the real one takes them from flags.
"""

import asyncio
import json
import os
import runpy
from concurrent.futures import ThreadPoolExecutor

import pulumi
from pulumi.runtime import settings
from pulumi.runtime.stack import run_in_stack


def main() -> None:
    options = json.loads(os.environ["LANGUAGE_HOST"])
    pulumi.runtime.set_all_config(options["config"], options["secretKeys"])
    place = {key: options[key] for key in ("project", "stack", "monitor", "engine")}
    settings.configure(settings.Settings(**place, parallel=16, dry_run=False))
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(ThreadPoolExecutor(16))
        runner.run(run_in_stack(lambda: execute(options["program"])))


def execute(program: str) -> None:
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
