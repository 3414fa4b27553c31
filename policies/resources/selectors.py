"""Label selectors as Kubernetes reads them: every requirement must hold."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bedplate.policies.values import UNKNOWN, Tree, text, texts, tree, trees


@dataclass(frozen=True)
class Requirement:
    """One condition on a label."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def meets(self, labels: Tree) -> bool:
        """Whether labels meet it; a value that is not known may."""
        value = labels.get(self.key)
        if value is UNKNOWN:
            return True
        if self.operator in ("NotIn", "DoesNotExist"):
            return value is None or (self.operator == "NotIn" and text(value) not in self.values)
        return value is not None and (self.operator == "Exists" or text(value) in self.values)

    def __str__(self) -> str:
        """As kubectl writes it."""
        if self.operator == "In" and len(self.values) == 1:
            return f"{self.key}={self.values[0]}"
        return f"{self.key} {self.operator} {', '.join(self.values)}".rstrip()


def requirements(selector: object) -> list[Requirement]:
    """Those of a LabelSelector."""
    labels = tree(tree(selector).get("matchLabels"))
    return [Requirement(key, "In", (text(labels[key]),)) for key in labels] + list(_expressions(tree(selector)))


def _expressions(selector: Tree) -> Iterator[Requirement]:
    for each in trees(selector.get("matchExpressions")):
        yield Requirement(text(each.get("key")), text(each.get("operator")), tuple(texts(each.get("values"))))


def selects(selector: Iterable[Requirement], labels: Tree) -> bool:
    """Whether labels meet all of them."""
    return all(each.meets(labels) for each in selector)


def listed(selector: Iterable[Requirement], labels: Tree) -> str:
    """Those that labels do not meet, for a message."""
    return ", ".join(str(each) for each in selector if not each.meets(labels))
