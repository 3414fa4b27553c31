"""`kubectl` for us: it knows how the user reaches the cluster, and as whom."""

import json
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bedplate.cluster.kubectl import absent, command, started
from bedplate.cluster.objects import Object
from bedplate.plan.errors import PlanError

LONGEST = 60
LOGGED = re.compile(r"[IWEF]\d{4} \d\d:")
"""A line of klog, as kubectl's client writes to standard error for each try."""
UNREACHED = re.compile(
    r"The connection to the server .* was refused|Unable to connect|context .* does not exist|i/o timeout"
)


@dataclass(frozen=True)
class Kubectl:
    """Of one context and one namespace; None: the current ones."""

    context: str | None = None
    namespace: str | None = None
    longest: int = LONGEST
    """Seconds that an answer may take."""

    def read(self, *words: str, given: str | None = None) -> str:
        """What it prints; PlanError with its own words where it fails, ClusterError where it does not answer."""
        status, output, complaint = self._run(words, given)
        if status:
            raise PlanError(complaints(complaint) or [f"kubectl {words[0]}: ended with {status}"])
        return output

    def items(self, kinds: Sequence[str], *words: str) -> list[Object]:
        """Objects of these kinds; of those that the user may not see, none."""
        if not kinds:
            return []
        status, output, complaint = self._run(("get", ",".join(kinds), "-o", "json", *words), None)
        if not status:
            return _items(output)
        if "Forbidden" not in complaint:
            raise PlanError(complaints(complaint))
        return [item for kind in kinds for item in self.items([kind], *words)] if len(kinds) > 1 else []

    def named(self, kind: str, name: str) -> Any | None:  # noqa: ANN401 - whatever the object holds
        """One object, if there is one."""
        text = self.read("get", kind, name, "-o", "json", "--ignore-not-found")
        return json.loads(text) if text.strip() else None

    def kinds(self) -> frozenset[str]:
        """Every kind that the API server has, as `jobs.batch`."""
        return frozenset(self.read("api-resources", "--namespaced", "-o", "name").split())

    def hand_over(self, *words: str) -> int:
        """Let it speak to the user itself."""
        try:
            return subprocess.run(self._words(words), check=False).returncode  # noqa: S603 - words of ours, no shell
        except OSError as error:
            raise absent(error) from error

    def _run(self, words: Iterable[str], given: str | None) -> tuple[int, str, str]:
        return started(self._words(words), given, self.longest)

    def _words(self, words: Iterable[str]) -> tuple[str, ...]:
        namespace = ("--namespace", self.namespace) if self.namespace else ()
        return command(self.context or "", *namespace, *words)


def complaints(complaint: str) -> list[str]:
    """What it says, without the log of its client, and with what to do where it reached nobody."""
    lines = [line for line in complaint.strip().splitlines() if not LOGGED.match(line)]
    nobody = next((line.partition(" - did you")[0] for line in lines if UNREACHED.search(line)), None)
    return [f"the cluster does not answer: {nobody}; name the right kubeconfig in KUBECONFIG"] if nobody else lines


def _items(text: str) -> list[Object]:
    return list(json.loads(text).get("items", ())) if text.strip() else []
