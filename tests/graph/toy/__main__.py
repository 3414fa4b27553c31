"""A cluster in miniature: two components in order, a gate, a release, a secret, a kustomization."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s


class Operator(pulumi.ComponentResource):
    """A namespace, a release in it, and a gate on what the release brings up."""

    def __init__(self, name: str, values: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("toy:operators:Operator", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        namespace = k8s.core.v1.Namespace(name, metadata={"name": name}, opts=child)
        release = k8s.helm.v3.Release(
            name,
            name=name,
            chart="operator",
            version="1.2.3",
            namespace=namespace.metadata.name,
            repository_opts={"repo": "https://charts.example.org"},
            values=values,
            opts=child,
        )
        k8s.apiextensions.CustomResourcePatch(
            f"{name}-ready",
            api_version="example.org/v1",
            kind="Policy",
            metadata={"name": "policy", "annotations": {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}},
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[release], custom_timeouts=pulumi.CustomTimeouts(create="30m")
            ),
        )
        self.register_outputs({"namespace": namespace.metadata.name})


config = pulumi.Config()
profile = config.require_object("profile")
provider = k8s.Provider("cluster", context=profile["cluster"])
first = Operator(
    "first", {"greeting": config.require("greeting"), "none": None}, pulumi.ResourceOptions(providers=[provider])
)
second = Operator(
    "second", {"pools": profile["pools"]}, pulumi.ResourceOptions(providers=[provider], depends_on=[first])
)
token = k8s.core.v1.Secret(
    "token",
    metadata={"name": "token", "namespace": "second"},
    string_data={"token": config.require_secret("token")},
    opts=pulumi.ResourceOptions(provider=provider, depends_on=[second], protect=True),
)
k8s.kustomize.v2.Directory(
    "trainer", directory="https://example.org/trainer?ref=v1", opts=pulumi.ResourceOptions(provider=provider)
)
pulumi.export("tokenName", token.metadata.name)
pulumi.export("token", config.require_secret("token"))
