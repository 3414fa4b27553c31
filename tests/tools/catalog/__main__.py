"""Write into the catalogue what public repositories know of machines and GPUs.

    python -m tests.tools.catalog --clones DIR
    python -m tests.tools.catalog --format

DIR holds bare clones, `<owner>+<name>/repo`. Which file of which commit is read stands in `data/sources.csv`, so a
newer one is another commit and date there, and this command again. Only the columns that a source knows are written;
what it does not list stays as it is, and a machine that is new in it becomes a row. `--format` only pads the cells.
"""

import argparse
import sys
from pathlib import Path

from bedplate.catalog import table
from tests.tools.catalog.read import FILES, Clones, written


def main() -> int:
    """Write what differs, and name it."""
    parser = argparse.ArgumentParser(description="Write the catalogue's rows that clones know.")
    parser.add_argument("--clones", type=Path, help="folder of bare clones")
    parser.add_argument("--format", action="store_true", help="pad the cells and no more")
    options = parser.parse_args()
    if not (options.clones or options.format):
        parser.error("--clones DIR, or --format")
    for name in FILES:
        rows = table.read(name) if options.format else written(name, Clones(options.clones))
        if table.path(name).read_text(encoding="utf-8") != (text := table.written(rows)):
            table.path(name).write_text(text, encoding="utf-8")
            sys.stdout.write(f"{name}.csv\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
