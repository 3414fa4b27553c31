"""`bedplate adopt`: what the cluster has already, imported into the stack."""

import sys

from bedplate.engine.run import Run
from bedplate.engine.tool import quietly


def adopt(cli: str, run: Run) -> int:
    """Import what the cluster has already of that which a preview would create (docs/adopting.md)."""
    from bedplate.plan.adopt import main as fill  # noqa: PLC0415 - the other commands

    shown, imports = run.scratch / "preview.json", run.scratch / "import.json"
    seen = [cli, "preview", "--stack", run.stack, "--non-interactive", "--json", "--import-file", str(imports)]
    with shown.open("w", encoding="utf-8") as out:
        status = run.pulumi(seen, out.fileno())
    if status:
        sys.stderr.write(shown.read_text(encoding="utf-8"))
        return status
    if (status := fill([str(shown), str(imports)])) or not imports.exists():
        return status
    words = [cli, "import", "--stack", run.stack, "--file", str(imports), "--protect=false", "--generate-code=false"]
    return run.pulumi([*words, *run.more, *quietly()], terminal=not quietly())
