"""On what operators' projects say that a release runs, from the tables of their documentation and charts.

NVIDIA's two operators have tables of operating systems by distributions of Kubernetes (`platform-support.rst`), the DRA
driver its chart's `kubeVersion`, Kueue and Volcano their README. One row a system and distribution; of a system's
releases only the numbers are kept.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from bedplate.catalog import table

ANY = "any"
DISTRIBUTIONS: Mapping[str, str] = {
    "kubernetes": "upstream",
    "upstream kubernetes": "upstream",
    "red hat openshift": "openshift",
    "rancher kubernetes engine 2": "rke2",
    "rancher rke2": "rke2",
    "k3s": "k3s",
    "amazon eks kubernetes": "eks",
    "google gke kubernetes": "gke",
    "microsoft azure kubernetes service": "aks",
}
"""Columns that a profile has a platform for."""
SYSTEMS: Mapping[str, str] = {
    "ubuntu": "ubuntu",
    "red hat core": "rhcos",
    "red hat enterprise linux": "rhel",
    "rocky": "rocky",
    "suse linux enterprise server": "sles",
}
"""What the name of an operating system begins with."""
SPAN = re.compile(r"(\d\.\d+)[.\d]*(?:\s*(?:-+|–|—)\s*(\d\.\d+)[.\d]*)?$")
MARKED = re.compile(r"\|(\w+)\|_?")
X86_ONLY = "|fn3|"
"""The GPU Operator's footnote: driver containers of this system are built for x86 alone."""
LATER: Mapping[str, tuple[str, str]] = {"support-gpu-operator-26.7": ("1.36", "1.37")}
"""Upper bounds that a later page of the same release raised, and that no commit at hand has: NVIDIA/cloud-native-docs#488
of 2026-09-04, "every version cell". A commit that has them needs no row here."""
Cells = list[str]


def rows(texts: Mapping[str, str]) -> Iterator[table.Row]:
    """Every row, by the source that it is read from: `support-<chart>-<release>`."""
    for source, text in texts.items():
        chart, _, release = source.removeprefix("support-").rpartition("-")
        old, new = LATER.get(source, ("", ""))
        for found in READERS[chart](text, release):
            newest = {"newest": new} if found["newest"] == old else {}
            yield {"chart": chart, "release": release, **found, **newest, "source": source}


def of_tables(text: str, _: str) -> Iterator[table.Row]:
    """Tables whose columns are distributions and whose lines are operating systems."""
    seen = set[tuple[str, ...]]()
    for header, *lines in list_tables(text):
        places = [(place, DISTRIBUTIONS.get(name.lower())) for place, name in enumerate(header)]
        for line in lines if header and header[0].lower().startswith("operating system") else ():
            for place, distribution in places:
                found = _row(line[0], distribution, line[place]) if place < len(line) and distribution else None
                if found and (key := (found["system"], found["versions"], distribution or "")) not in seen:
                    seen.add(key)
                    yield found


def _row(system: str, distribution: str, cell: str) -> table.Row | None:
    span, named = SPAN.match(cell), MARKED.sub("", system).lower()
    known = next((name for begin, name in SYSTEMS.items() if named.startswith(begin)), None)
    if span is None or known is None:
        return None
    versions = re.findall(r"\d+(?:\.\d+)?(?: sp\d)?", named)
    return {
        "system": known,
        "versions": " ".join(each.replace(" ", "") for each in versions) or table.NONE,
        "distribution": distribution,
        "only_arch": "amd64" if X86_ONLY in system else table.UNKNOWN,
        "oldest": span[1],
        "newest": span[2] or span[1],
    }


def list_tables(text: str) -> Iterator[list[Cells]]:
    """Every `list-table` of a page in reStructuredText: lines of cells, header first, without marks of line blocks."""
    for block in re.split(r"^ *\.\. list-table::.*$", text, flags=re.MULTILINE)[1:]:
        lines: list[Cells] = []
        for line in block.replace("\xa0", " ").splitlines():
            said = line.strip()
            if said.startswith("* - "):
                lines.append([_plain(said[4:])])
            elif lines and re.match(r"-( |$)", said):
                lines[-1].append(_plain(said[1:]))
            elif lines and said and line.startswith(" ") and not said.startswith((":", ".. ")):
                lines[-1][-1] = f"{lines[-1][-1]} {_plain(said)}".strip()
            elif lines and said:
                break
        if lines:
            header = [MARKED.sub("", cell).strip(" ,") for cell in lines[0]]
            yield [header, *lines[1:]]


def _plain(cell: str) -> str:
    return cell.strip().removeprefix("|").strip() if not MARKED.match(cell.strip()) else cell.strip()


def of_chart(text: str, _: str) -> Iterator[table.Row]:
    """`kubeVersion: ">=1.32.0-0"` of a chart."""
    oldest = re.search(r"^kubeVersion:.*>=\s*(\d\.\d+)", text, re.MULTILINE)
    assert oldest, "no kubeVersion"
    yield _anywhere(oldest[1], table.UNKNOWN)


def of_kueue(text: str, _: str) -> Iterator[table.Row]:
    """What it requires, and the newest release of Kubernetes that its end-to-end tests run on."""
    oldest = re.search(r"Requires Kubernetes (\d\.\d+) or newer", text)
    tested = re.findall(r"^ +\[(\d\.\d+)\]", text, re.MULTILINE)
    assert oldest, "no requirement"
    yield _anywhere(oldest[1], max(tested, key=_numbers))


def of_volcano(text: str, release: str) -> Iterator[table.Row]:
    """Columns with a tick in its table of compatibility."""
    lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("|")]
    header = next(line for line in lines if any(cell.startswith("Kubernetes 1.") for cell in line))
    mine = next(line for line in lines if f"Volcano v{release}" in line)
    fit = [name.split()[1] for name, cell in zip(header, mine, strict=True) if cell == "✓"]
    yield _anywhere(min(fit, key=_numbers), max(fit, key=_numbers))


def _anywhere(oldest: str, newest: str) -> table.Row:
    plain = {"system": ANY, "versions": table.NONE, "distribution": ANY, "only_arch": table.UNKNOWN}
    return {**plain, "oldest": oldest, "newest": newest}


def _numbers(version: str) -> list[int]:
    return [int(each) for each in version.split(".")]


READERS: Mapping[str, Callable[[str, str], Iterator[table.Row]]] = {
    "gpu-operator": of_tables,
    "network-operator": of_tables,
    "nvidia-dra-driver-gpu": of_chart,
    "kueue": of_kueue,
    "volcano": of_volcano,
}
