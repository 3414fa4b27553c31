"""The command line for `python -m bedplate.policies`, and the policy pack when Pulumi's engine runs this folder.

The engine starts a pack by its folder, outside of any package: that tells the two apart.
"""

import sys
from pathlib import Path

if __package__:
    from bedplate.policies.command.cli import main

    sys.exit(main())

sys.path[0] = str(Path(__file__).resolve().parents[1])  # the project, which has `bedplate`

from bedplate.policies.command.serve import serve  # noqa: E402

serve()
