"""What the rules say of manifests that other people published: repositories, commits and counts, no file of theirs.

Measured on 2026-11-23, 19 repositories on the next day and 14 on the one after: each YAML and JSON file with a Kubernetes object that a rule knows, judged alone, without facts. Each
mandatory finding was read and held against Kubernetes' own schema or validation.
"""

import csv
import re

from tests.unit.policies.test_corpus import CORPUS

ROWS = list(csv.DictReader((CORPUS / "measured.csv").read_text(encoding="utf-8").splitlines()))
LEAST = 400
SHARE = 0.01


def test_each_repository_is_named_once_with_its_commit() -> None:
    assert len({row["repository"] for row in ROWS}) == len(ROWS)
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+", row["repository"]) for row in ROWS)
    assert all(re.fullmatch(r"[0-9a-f]{40}", row["commit"]) for row in ROWS)


def test_at_most_one_file_of_a_hundred_has_a_mandatory_finding() -> None:
    files = sum(int(row["files"]) for row in ROWS)
    assert files >= LEAST
    assert sum(int(row["mandatory"]) for row in ROWS) <= SHARE * files
