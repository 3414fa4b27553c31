"""`python -m bedplate`, for where the script is not on the PATH."""

import sys

from bedplate.cli import main

sys.exit(main())
