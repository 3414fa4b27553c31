"""Where the kustomizations of controllers without a chart are: ours of the pinned release, or the mirror's."""

from pathlib import Path

from components.facts import Facts

HERE = Path(__file__).parent


def directory(product: str, version: str, facts: Facts) -> str:
    """The kustomization of `product` (a folder beside this file) at `version`, with the gang flag if Volcano is there.

    Kueue suspends whole jobs and KAI groups their pods by itself, so neither wants a flag.
    """
    variant = f"{version}-volcano" if facts.scheduler.kind == "volcano" else version
    if facts.charts.mirror is not None:
        return f"{facts.charts.mirror.rstrip('/')}/{product.replace('_', '-')}-{variant}"
    path = HERE / product / variant
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
