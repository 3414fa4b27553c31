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

A server's `model` is one of:

* a name of the table below;
* `{config: FILE}`, the `config.json` of the model, from the folder of the profile;
* `{repository: ORG/NAME, revision: COMMIT}` of the Hugging Face hub. Its `config.json` is read with `huggingface_hub`
  (`pip install 'bedplate[hub]'`, HF_TOKEN for gated ones); without it, or offline, the table is asked by repository.
  What neither knows the plan calls *not known*, and says of no fit. Weights of the same repository are loaded at that
  commit (`--revision`);
* the facts in full ([the profile](profile.md)).

All are read by one reader (`bedplate/catalog/configs/`): parameters, weights that stay at 16 bits, what each kind of
layer keeps of a sequence, what GPUs can divide, the longest sequence, and whether vLLM wants `trustRemoteCode`. A kind
of model that it does not know is refused by name; its facts can be given in full. So a model of your own is one file:

    hf download ORG/NAME config.json --local-dir models/mine     # or copy it from wherever the weights are
    # serving.servers[]: model: {config: models/mine/config.json}

To the table one command adds a model, from clones of what `sources.csv` names, and no Python (CONTRIBUTING.md):

    python -m tests.tools.models --clones DIR --wheels DIR --add NAME=ORG/NAME && make schema

The table is made from `bedplate/catalog/data/models.csv` (`make schema`), which also has sizes of experts and
vocabulary. *Layers* are all, and behind them those with a window, a state, or nothing that is kept; *cache* are numbers
of a token in each of the others, *length* is what it was made for, in tokens, *vLLM* the first release that is known to
run it, ● *code* that it starts with its repository's own code alone (`trustRemoteCode`), ● *gated* that the hub asks
who downloads it. `?` is what no source at hand says: nothing is refused for it, and the plan names it.

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
    kinds = ((one.windowed, "window"), (one.linear, "state"), (one.bare, "none"))
    others = ", ".join(f"{count} {kind}" for count, kind in kinds if count)
    layers = f"{one.layers} ({others})" if others else str(one.layers)
    yield from (f"{layers}, {one.heads}", kv, f"{one.max_length:,}" if one.max_length else "?")
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
