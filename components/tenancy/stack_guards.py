"""That what the stack makes in a team's namespace stays as it is: members write such kinds, and these are not theirs.

Nor do they make themselves credentials that outlast their membership.

Pulumi's `protect` holds the deployment alone. Whoever may delete the namespace is the platform's; controllers go on.
"""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.tenancy.guards import BY_A_CONTROLLER, CREATED, Limit, Watch, texts
from bedplate.components.workload.extras import CONFIG_MAP

CLAIMS, MAPS = ("", "v1", "persistentvolumeclaims"), ("", "v1", "configmaps")
TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - a type
PLATFORM = "authorizer.group('').resource('namespaces').name(request.namespace).check('delete').allowed()"


def stack_watches(facts: Facts) -> Iterator[Watch]:
    """The claims of shared volumes, and the workload contract."""
    claims = [f"{team}/{volume.name}" for volume in facts.volumes.values() for team in volume.namespaces]
    ours = f"(request.namespace + '/' + oldObject.metadata.name) in {texts(claims)}"
    contract = f"oldObject.metadata.name == '{CONFIG_MAP}'"
    yield Watch(
        "stack",
        (CLAIMS, MAPS),
        (
            Limit(
                f"{BY_A_CONTROLLER} || {PLATFORM}",
                "It is the stack's, and others work with it: change storage.volumes or the profile, and deploy.",
            ),
        ),
        when=f"request.resource.resource == 'configmaps' ? {contract} : {ours}",
        operations=("UPDATE", "DELETE"),
    )
    yield Watch(
        "token",
        (("", "v1", "secrets"),),
        (
            Limit(
                f"{BY_A_CONTROLLER} || {PLATFORM}",
                "A token without an end is good for whoever has left the team too: mount a projected one "
                "(serviceAccountToken).",
            ),
        ),
        when=f"{CREATED} && has(object.type) && object.type == '{TOKEN}'",
        operations=("CREATE",),
    )
