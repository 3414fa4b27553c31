"""What a guard of the teams is made of: kinds that it watches, and what must hold of each, in the API server's CEL."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from bedplate.components.workload.templates import Kind

APPLIERS = (
    "^system:serviceaccount:[^:]+:(.+-)?"
    "(argocd-application-controller|kustomize-controller|helm-controller|fleet-agent|root-reconciler)$"
)
"""Service accounts that apply what people wrote, by the names that their installations give them (argo-cd chart,
`controller.serviceAccount.name`; OpenShift GitOps; fluxcd.io; Rancher Fleet; Config Sync)."""
BY_A_CONTROLLER = (
    "(request.userInfo.username.startsWith('system:') && "
    "!(('system:serviceaccounts:' + request.namespace) in request.userInfo.groups) && "
    f"!request.userInfo.username.matches('{APPLIERS}'))"
)
"""Kubernetes' own controllers and the operators', but no service account that the team may give its pods, and none that
brings what somebody wrote: whoever writes to its repository would say that a pod is a part of an admitted job."""
OWNERS = "(has({0}.metadata.ownerReferences) ? {0}.metadata.ownerReferences : [])"
LABELS = "(has({0}.metadata.labels) ? {0}.metadata.labels : {{}})"
CREATED = "request.operation == 'CREATE'"
WANTED = f"{CREATED} || object.spec != oldObject.spec || {LABELS.format('object')} != {LABELS.format('oldObject')}"
"""What is there may still be finalized and deleted."""
ASKED = f"{CREATED} || (!{BY_A_CONTROLLER} && object.spec != oldObject.spec)"
"""What people write. A controller that holds back what was there before a guard came must not be refused: its GPUs
would never be given back."""
MARKS = "(has({0}.metadata) && has({0}.metadata.annotations) ? {0}.metadata.annotations : {{}})"
MARKED = f"{CREATED} || object.spec != oldObject.spec || {MARKS.format('object')} != {MARKS.format('oldObject')}"
"""A pod's annotations are read when it starts, so not only when it is created."""


@dataclass(frozen=True)
class Limit:
    """One thing that a pod may not do, and what its owner is told."""

    expression: str
    message: str

    def document(self) -> dict[str, str]:
        """As it stands in a ValidatingAdmissionPolicy."""
        return {"expression": self.expression, "message": self.message, "reason": "Forbidden"}


@dataclass(frozen=True)
class Watch:
    """Some kinds, and what holds for them."""

    title: str
    kinds: tuple[Kind, ...]
    limits: tuple[Limit, ...]
    when: str = WANTED
    """The condition under which it is asked at all."""
    operations: tuple[str, ...] = ("CREATE", "UPDATE")
    variables: tuple[tuple[str, str], ...] = field(default=())
    """Further ones, besides the templates."""


def texts(names: Iterable[str]) -> str:
    """A list of CEL."""
    return json.dumps(list(names))


def not_theirs(classes: Iterable[str]) -> str:
    """What is said to who asks for another PriorityClass."""
    return f"A PriorityClass that is not the teams': use {', '.join(classes)}."
