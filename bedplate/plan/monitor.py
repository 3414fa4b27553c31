"""A resource monitor that records: it answers the SDK as the engine would and keeps every registration whole.

It is synchronous and holds no lock: one program talks to it from one thread. It answers no invokes but those it was
given.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pulumi
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2
from pulumi.runtime.proto import resource_pb2 as messages

from .answers import answer, identity
from .graph import PROVIDER_PREFIX, STACK_TYPE, Graph
from .registration import Message, Registration
from .transforms import Transforms
from .wire import decode, encode, mask

Invoke: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]

# Output values are missing on purpose: inputs then arrive as plain values.
FEATURES = (
    messages.RESOURCE_MONITOR_FEATURE_SECRETS,
    messages.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
    messages.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
    messages.RESOURCE_MONITOR_FEATURE_TRANSFORMS,
    messages.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
    messages.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
    messages.RESOURCE_MONITOR_FEATURE_PARAMETERIZATION,
    messages.RESOURCE_MONITOR_FEATURE_RESOURCE_HOOKS,
    messages.RESOURCE_MONITOR_FEATURE_ERROR_HOOKS,
)


class Monitor:
    """The engine's side of one run: both the resource monitor and the log."""

    def __init__(
        self, project: str, stack: str, *, preview: bool = False, invokes: Mapping[str, Invoke] | None = None
    ) -> None:
        self.project = project
        self.stack = stack
        self.preview = preview
        self.transforms = Transforms()
        self._answers = invokes or {}
        self._registrations: dict[str, Registration] = {}
        self._declared: dict[pulumi.Resource, str] = {}
        self._invokes: list[tuple[str, Mapping[str, Any]]] = []
        self._logs: list[tuple[str, str]] = []

    def declare(self, of: pulumi.ResourceTransformationArgs) -> None:
        """Note a resource as the program makes it; changes nothing of it."""
        parent = self._declared.get(of.opts.parent, "") if of.opts.parent else ""
        self._declared[of.resource] = self.urn(parent, of.type_, of.name)

    def graph(self) -> Graph:
        """Everything recorded so far, frozen and masked, as the program declares it.

        The SDK sends what waits for nothing in common in an order that differs from run to run.
        """
        place = {urn: number for number, urn in enumerate(self._declared.values())}
        in_order = sorted(self._registrations.values(), key=lambda node: place.get(node.urn, -1))
        nodes = tuple(registration.node(seq) for seq, registration in enumerate(in_order))
        invokes = tuple((token, mask(arguments)) for token, arguments in self._invokes)
        return Graph(self.project, self.stack, nodes, tuple(self._logs), invokes)

    def urn(self, parent: str, type_: str, name: str) -> str:
        """The engine's URN: the whole chain of parent types, without the stack."""
        chain = parent.split("::")[2] if parent else STACK_TYPE
        qualified = type_ if chain == STACK_TYPE else f"{chain}${type_}"
        return f"urn:pulumi:{self.stack}::{self.project}::{qualified}::{name}"

    def _register(self, request: Message, inputs: dict[str, Any], *, read: bool) -> Registration:
        urn = self.urn(request.parent, request.type, request.name)
        if urn in self._registrations:
            raise ValueError(f"Duplicate resource URN '{urn}'; try giving it a unique name")
        custom = read or request.custom
        registration = Registration(urn, request, inputs, custom=custom, read=read)
        if custom:
            registration.outputs = answer(request.type, request.name, inputs)
            registration.id = self._identify(request, inputs, read=read)
        self._registrations[urn] = registration
        return registration

    def _identify(self, request: Message, inputs: Mapping[str, Any], *, read: bool) -> str:
        if read:
            return request.id
        if self.preview and not request.type.startswith(PROVIDER_PREFIX):
            return ""
        return request.importId or identity(request.type, request.name, inputs)

    def RegisterResource(self, request: Message) -> Message:
        """Record a resource that the program declares, as its transforms make it."""
        self.transforms.apply(request, self.urn(request.parent, request.type, request.name))
        kept = self._register(request, decode(request.object), read=False)
        return messages.RegisterResourceResponse(urn=kept.urn, id=kept.id, object=encode(kept.outputs or {}))

    def ReadResource(self, request: Message) -> Message:
        """Record a resource that the program only reads."""
        kept = self._register(request, decode(request.properties), read=True)
        return messages.ReadResourceResponse(urn=kept.urn, properties=encode(kept.outputs or {}))

    def RegisterResourceOutputs(self, request: Message) -> Message:
        """Keep what a component or the stack hands out."""
        self._registrations[request.urn].outputs = decode(request.outputs)
        return empty_pb2.Empty()

    def Invoke(self, request: Message) -> Message:
        """Answer a data source, if the caller said how."""
        arguments = decode(request.args)
        self._invokes.append((request.tok, arguments))
        if request.tok not in self._answers:
            raise LookupError(
                f"the program asks the provider for {request.tok}, which an offline plan cannot answer: "
                "take the value from the profile instead"
            )
        response = messages.ResourceInvokeResponse()
        getattr(response, "return").CopyFrom(encode(self._answers[request.tok](arguments)))  # a keyword of ours
        return response

    def Call(self, request: Message) -> Message:
        """Refuse a method call: only a running provider can answer it."""
        raise LookupError(f"the program calls {request.tok} on a provider, which an offline plan cannot answer")

    def ExistsResource(self, request: Message) -> Message:
        """Refuse: a plan does not know what is deployed."""
        raise LookupError(f"the program asks whether {request.type} {request.id} exists: an offline plan cannot know")

    def Log(self, request: Message) -> Message:
        """Keep what the program says, and not the SDK's own debug lines, which can hold values."""
        if request.severity != engine_pb2.DEBUG:
            self._logs.append((engine_pb2.LogSeverity.Name(request.severity), request.message))
        return empty_pb2.Empty()

    def GetDeploymentInfo(self, _: Message) -> Message:
        """Say what this engine can do."""
        return messages.DeploymentInfo(supportedFeatures=list(FEATURES))

    def RegisterPackage(self, request: Message) -> Message:
        """Give a parameterised provider a reference."""
        return messages.RegisterPackageResponse(ref=f"{request.name}@{request.version}")

    def RegisterResourceHook(self, _: Message) -> Message:
        """Accept a hook; there is nothing to run it on."""
        return empty_pb2.Empty()

    RegisterErrorHook = RegisterResourceHook
    SignalAndWaitForShutdown = RegisterResourceHook
    RequirePulumiVersion = RegisterResourceHook
