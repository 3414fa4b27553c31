"""What every component of the stack is: one constructor, which declares its children and registers its outputs."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import pulumi

from bedplate.components.facts import Args
from bedplate.components.namespace import Constraints, PodSecurity, constrained, namespace
from bedplate.components.section import HelmSection, Section

S = TypeVar("S", bound=Section)
H = TypeVar("H", bound=HelmSection)


class Component(pulumi.ComponentResource, ABC, Generic[S]):
    """Makes the resources of a section; who it belongs to and what it waits for is the order's.

    Its token, `bedplate:<layer>:<Class>`, is a half of every URN below it: it follows neither its file nor its step.
    """

    token: ClassVar[str]

    def __init_subclass__(cls, *, token: str = "", **more: Any) -> None:  # noqa: ANN401 - for classes between
        """Every component says its own token."""
        super().__init_subclass__(**more)
        cls.token = token

    def __init__(self, name: str, args: Args[S], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(self.token, name, opts=opts)
        outputs = self._declare(args, pulumi.ResourceOptions(parent=self))
        self.register_outputs({**(outputs or {})})

    @abstractmethod
    def _declare(self, args: Args[S], child: pulumi.ResourceOptions, /) -> Mapping[str, Any] | None:
        """Declare what belongs to this, with `child` as options; the outputs by name, if it has any."""


class Installed(Component[H]):
    """A chart and nothing else: `CHART` and `helm_values` of its file, in a namespace that is its own or was there.

    `release` is the name that Helm knows it by, which follows no step either; `level` the Pod Security of the namespace
    that is made for it; `constraints` what its pods need of OpenShift besides.
    """

    _place: ClassVar[tuple[str, PodSecurity | None, Constraints | None]]

    def __init_subclass__(
        cls, *, token: str, release: str, level: PodSecurity | None = None, constraints: Constraints | None = None
    ) -> None:
        """Say all of it in the head of the class."""
        super().__init_subclass__(token=token)
        cls._place = release, level, constraints

    def _declare(self, args: Args[H], child: pulumi.ResourceOptions, /) -> Mapping[str, Any] | None:
        file: Any = sys.modules[type(self).__module__]
        (release, level, constraints), home = self._place, file.CHART.namespace
        place = namespace(home, level, child).metadata.name if level else home
        if constraints:
            constrained(home, constraints, args.facts.platform, child)
        file.CHART.release(release, args, namespace=place, values=file.helm_values(args), opts=child)
        return {"namespace": place} if level else None
