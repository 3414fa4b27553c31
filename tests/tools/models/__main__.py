"""Write into the table of models what public repositories and the engine's wheel know.

    python -m tests.tools.models --clones DIR --wheels DIR [--add NAME=OWNER/REPOSITORY ...]

DIR of --clones holds bare clones, `<owner>+<name>/repo`; that of --wheels the unpacked wheels of vLLM and transformers
(`pip download --no-deps vllm==0.12.0`). Which file of which commit is read stands in `data/sources.csv`. A cell that no
source knows stays as it is, so what was read by hand is kept; `--add` begins a row, of a repository that a source knows.
"""

import argparse
import sys
from pathlib import Path

from bedplate.catalog import table
from bedplate.catalog.configs.reading import ConfigError
from tests.tools.catalog.read import Clones
from tests.tools.models.rows import written


def main(arguments: list[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Write the table of models.")
    parser.add_argument("--clones", type=Path, required=True, help="folder of bare clones")
    parser.add_argument("--wheels", type=Path, required=True, help="folder of unpacked wheels")
    parser.add_argument("--add", nargs="*", default=[], metavar="NAME=REPOSITORY", help="rows to begin")
    options = parser.parse_args(arguments)
    new = dict(one.split("=", 1) for one in options.add)
    try:
        rows = written(table.read("models"), new, Clones(options.clones), options.wheels)
    except (LookupError, ConfigError) as wrong:
        sys.stderr.write(f"{wrong}\n")
        return 2
    table.path("models").write_text(table.written(rows), encoding="utf-8")
    unknown = sum(cell == table.UNKNOWN for row in rows for cell in row.values())
    sys.stdout.write(f"{len(rows)} models, {unknown} cells unknown\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
