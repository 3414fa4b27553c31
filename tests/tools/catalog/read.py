"""Which reader writes which file of the catalogue, from the commit that `data/sources.csv` names."""

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bedplate.catalog import table
from bedplate.catalog.sources import SOURCES
from tests.tools.catalog import ec2, mig, prices, support

PLACE = re.compile(r"([\w.-]+)/([\w.-]+)@(\S+) (\S+)$")
FILES = (
    *("aws", "google", "azure", "oracle", "on_site", "gpus", "models", "experts", "trained", "sources", "columns"),
    *("quotas", "support"),
)
Rows = list[table.Row]


@dataclass(frozen=True)
class Clones:
    """A folder of bare clones."""

    folder: Path

    def text(self, source: str) -> str:
        """The file of a source, at its commit.

        Raises:
            LookupError: the clone or the file is not there.
        """
        *_, commit, path = self._place(source)
        return self._git(source, "show", f"{commit}:{path}")

    def texts(self, source: str) -> dict[str, str]:
        """The files below the folder of a source, at its commit, by path.

        Raises:
            LookupError: the clone or the folder is not there.
        """
        *_, commit, path = self._place(source)
        names = self._git(source, "ls-tree", "-r", "--name-only", commit, f"{path}/").split()
        return {name: self._git(source, "show", f"{commit}:{name}") for name in names}

    def _git(self, source: str, *command: str) -> str:
        owner, name, *_ = self._place(source)
        git = ["git", "-C", str(self.folder / f"{owner}+{name}" / "repo"), *command]
        done = subprocess.run(git, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LookupError(f"{source}: {done.stderr.strip()}")
        return done.stdout

    def lacks(self, sources: Sequence[str]) -> list[str]:
        """The repositories that have no clone here."""
        places = (self._place(source)[:2] for source in sources)
        return sorted({f"{owner}/{name}" for owner, name in places if not (self.folder / f"{owner}+{name}").is_dir()})

    @staticmethod
    def _place(source: str) -> tuple[str, str, str, str]:
        found = PLACE.search(SOURCES[source].text)
        assert found, f"sources.csv: {source} names no owner/name@commit path"
        return found[1], found[2], found[3], found[4]


def _aws(rows: Rows, texts: Mapping[str, str]) -> Rows:
    known = ec2.rows(rows, ec2.types(texts["karpenter-aws"]), table.read("gpus"))
    return prices.priced(known, prices.of_go(texts["karpenter-price"], "us-east-1"), "karpenter-price")


def _google(rows: Rows, texts: Mapping[str, str]) -> Rows:
    return prices.priced(rows, prices.of_json(texts["karpenter-gcp"], "us-central1"), "karpenter-gcp")


def _azure(rows: Rows, texts: Mapping[str, str]) -> Rows:
    known = prices.priced(rows, prices.of_go(texts["karpenter-azure"], "eastus"), "karpenter-azure")
    families = prices.families(texts["karpenter-azure-gpus"])
    return [{**row, "quota": families.get(f"standard_{row['name']}".lower(), row["quota"])} for row in known]


def _gpus(rows: Rows, texts: Mapping[str, str]) -> Rows:
    return mig.rows(rows, mig.profiles(texts["mig-manager"]))


def _support(_: Rows, texts: Mapping[str, str]) -> Rows:
    return list(support.rows(texts))


READERS: Mapping[str, tuple[Sequence[str], Callable[[Rows, Mapping[str, str]], Rows]]] = {
    "aws": (("karpenter-aws", "karpenter-price"), _aws),
    "google": (("karpenter-gcp",), _google),
    "azure": (("karpenter-azure", "karpenter-azure-gpus"), _azure),
    "gpus": (("mig-manager",), _gpus),
    "support": (tuple(name for name in SOURCES if name.startswith("support-")), _support),
}
"""Of each file what it is read from, and how."""


def written(name: str, clones: Clones) -> Rows:
    """A file's rows with what its sources know; as they are where none is read."""
    rows = table.read(name)
    if name not in READERS:
        return rows
    sources, reader = READERS[name]
    return reader(rows, {source: clones.text(source) for source in sources})
