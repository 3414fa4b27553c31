"""`docs/models.md`: every model that a server can name, made from the catalogue.

`make schema` writes it.
"""

from collections.abc import Iterator

from bedplate.catalog import table
from bedplate.catalog.models import MODELS, Listed
from bedplate.catalog.sources import SOURCES
from bedplate.folders import PROJECT

PAGE_FILE = PROJECT / "docs" / "models.md"
HEAD = """# Models

A server's `model` names one of these, or gives the same facts in full ([the profile](profile.md)). This page is made
from `bedplate/catalog/data/models.csv` (`make schema`), which also has sizes of layers, experts and vocabulary. Sizes
are those of each repository's `config.json`; *length* is what it was made for, in tokens, *cache* numbers of a token in
each layer, *vLLM* the first release that is known to run it, ● *code* that it starts with its repository's own code
alone (`trustRemoteCode`), ● *gated* that the hub asks who downloads it. `?` is what no source at hand says: nothing is
refused for it, and the plan names it.

| model | repository | parameters, experts (10⁹) | layers, heads | cache | length | vLLM | code | gated | source |
|---|---|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The page."""
    rows = "".join(f"| {' | '.join(_cells(one))} |\n" for one in MODELS.values())
    keys = dict.fromkeys(row[of] for of in ("source", "length_source") for row in table.read("models"))
    sources = "".join(f"* `{key}`: {SOURCES[key].text} ({SOURCES[key].read})\n" for key in keys if key in SOURCES)
    return f"{HEAD}{rows}\n## Sources\n\n{sources}"


def _cells(one: Listed) -> Iterator[str]:
    kv = f"2 × {one.kv_heads} × {one.head_dim}" if one.latent is None else str(one.latent)
    yield from (f"`{one.name}`", one.repository, f"{one.billions:g}, {one.expert_billions:g}")
    yield from (f"{one.layers}, {one.heads}", kv, f"{one.max_length:,}" if one.max_length else "?")
    yield ".".join(map(str, one.since)) if one.since else "?"
    yield _code(one)
    yield from ("●" if one.gated else "", f"`{ROWS[one.name]}`")


def _code(one: Listed) -> str:
    if one.code_before:
        return f"before {'.'.join(map(str, one.code_before))}"
    return {None: "?", True: "●", False: ""}[one.remote_code]


ROWS = {row["name"]: row["source"] for row in table.read("models")}


def write() -> None:
    """Bring the page up to date."""
    PAGE_FILE.write_text(page(), encoding="utf-8")
