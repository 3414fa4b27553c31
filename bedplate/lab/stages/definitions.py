"""What nobody's chart brings to the lab: CRDs of operators that make them at run time, those of the site, and probes.

Their schemas are open: fields are checked against the real CRDs in process, what counts here is when a kind is served.
"""

from typing import Any


def definition(group: str, kind: str, version: str = "v1") -> dict[str, Any]:
    """A namespaced kind with a status, which takes any field."""
    singular = kind.lower()
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{singular}s.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": f"{singular}s", "singular": singular},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def webhook(kind: str) -> dict[str, Any]:
    """A webhook for no kind at all."""
    name = "played.lab.bedplate"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "webhooks": [
            {
                "name": name,
                "clientConfig": {"service": {"name": name, "namespace": "default"}},
                "rules": [],
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
            }
        ],
    }
