"""Where the command begins, by its script or as `python -m bedplate`."""

import sys


def start() -> int:
    """A Ctrl-C ends it without a word, also while its modules are read; what nobody foresaw is a line, too."""
    try:
        from bedplate.cli import main  # noqa: PLC0415 - half of what a Ctrl-C at the start meets

        return main()
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - whatever it is, a user reads it
        from bedplate.debug import unexpected  # noqa: PLC0415

        unexpected(error, sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(start())
