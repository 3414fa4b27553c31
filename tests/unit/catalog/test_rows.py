"""Every row of the catalogue has each column or declines it, and each figure has a source with a day."""

import csv
from pathlib import Path

import pytest

from bedplate.catalog import quotas, table
from bedplate.catalog.gpus import GPUS, family, least_driver, like, near
from bedplate.catalog.machines import CLOUDS, MACHINES
from bedplate.catalog.machines import like as machines_like
from bedplate.catalog.sources import SOURCES
from bedplate.policies.resources.paths import TABLE as PATHS
from tests.tools.catalog.read import FILES

KIND = dict.fromkeys(CLOUDS, "machines")
"""Files of one make share their columns."""
KEYS = {"columns": 2, "quotas": 2, "support": 5, "trained": 3}
"""Columns that tell a row from all others, where it is not the first alone."""
NEVER_DECLINED = ("name", "gpu", "gpus", "cpus", "memory_gib", "arch", "nvlink", "scarce", "source", "product", "form")


@pytest.mark.parametrize("name", FILES)
def test_a_row_has_or_declines_every_column_that_is_described(name: str) -> None:
    columns = [row["column"] for row in table.read("columns") if row["file"] == KIND.get(name, name)]
    for row in table.read(name):
        assert list(row) == columns
        if name == "columns":
            continue
        assert [column for column in NEVER_DECLINED if not table.said(row.get(column, "said"))] == []


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_padded_and_its_names_are_its_own(name: str) -> None:
    rows = table.read(name)
    assert table.path(name).read_text(encoding="utf-8") == table.written(rows), "python -m tests.tools.catalog --format"
    keys = [tuple(row.values())[: KEYS.get(name, 1)] for row in rows]
    assert len(keys) == len(set(keys))


def test_a_cell_too_few_or_an_empty_one_is_named_by_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "DATA", tmp_path)
    for text, said in (("a, b\n1\n", "x.csv:2: 1 cells of 2"), ("a, b\n1, 2\n, 2\n", "x.csv:3: an empty cell")):
        (tmp_path / "x.csv").write_text(text)
        with pytest.raises(table.CatalogError, match=said):
            table.read("x")


def test_every_source_that_a_row_or_column_names_has_a_day() -> None:
    named = {row[column] for name in FILES for row in table.read(name) for column in row if column.endswith("source")}
    keys = named - {row["source"] for row in table.read("sources")} - {"none"}
    columns = {row["column"] for row in table.read("columns")}
    assert keys - columns - set(SOURCES) == set()
    with PATHS.open(encoding="utf-8", newline="") as file:
        of_pods = {source for row in csv.DictReader(file) for source in row["source"].split()}
    described = {row["source"] for row in table.read("columns")} | {"karpenter-azure-gpus"} | of_pods
    assert set(SOURCES) - keys - described == set(), "a source that nothing names"


def test_every_machine_has_a_gpu_of_the_table_and_what_counts_against_a_quota_is_that() -> None:
    assert [name for name, one in MACHINES.items() if one.gpu not in GPUS] == []
    for name, one in MACHINES.items():
        if one.seller == "aws":
            market = (quotas.on_demand(name), quotas.spot(name))
            assert tuple(each.code if each else "" for each in market) == (one.quota, one.spot_quota), name


def test_nvlink_of_a_node_is_no_more_than_its_model_can_join() -> None:
    assert [name for name, one in MACHINES.items() if one.nvlink > GPUS[one.gpu].nvlink] == []


def test_a_process_sees_less_than_the_label_says() -> None:
    assert [name for name, gpu in GPUS.items() if (gpu.visible_gib or 0) >= gpu.memory_gib] == []


def test_slices_of_a_gpu_fit_it() -> None:
    for gpu in GPUS.values():
        assert all(int(name[3:].partition("gb")[0]) <= gpu.memory_gib for name in gpu.mig), gpu.name


@pytest.mark.parametrize(
    ("product", "name"),
    [
        ("NVIDIA-H100-80GB-HBM3", "H100"),
        ("NVIDIA-H100-96GB-HBM3", "H100"),
        ("NVIDIA-GH200-480GB", "GH200"),
        ("NVIDIA-A100X", "A100-40"),
        ("NVIDIA-RTX-A1000", None),
        ("NVIDIA-H20", None),
        ("NVIDIA-GH200-96GB-custom", "GH200"),
    ],
)
def test_a_label_names_its_model_or_the_nearest_kin(product: str, name: str | None) -> None:
    found = near(product)
    assert (found.name if found else None) == name


def test_of_a_board_that_is_not_listed_the_label_tells_its_architecture() -> None:
    board = "NVIDIA-RTX-PRO-4500-Blackwell"
    assert (like(board), family(board), least_driver(board)) == ((), "blackwell", (570,))
    assert (family("NVIDIA-H20"), least_driver("NVIDIA-H20")) == ("", ())


@pytest.mark.parametrize(
    ("machine", "families"),
    [
        ("p6-b400.48xlarge", {"p6"}),
        ("p6e-gb300.36xlarge", {"p6e"}),
        ("g7.8xlarge", {"g7"}),
        ("g6f.large", {"g6"}),
        ("Standard_ND96isrf_H100_v5", {"ND"}),
        ("BM.GPU.H100.16", {"BM.GPU.H100"}),
        ("m7i.xlarge", set[str]()),
    ],
)
def test_a_machine_that_is_not_listed_is_like_its_family(machine: str, families: set[str]) -> None:
    assert {one.family for one in machines_like(machine)} == families
