"""The `serving` section: model servers of any kind."""

from typing import Annotated

from pydantic import Field

from bedplate.components.section import Section
from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer

AnyServer = Annotated[VllmServer | VllmStackServer | TritonServer, Field(discriminator="kind")]


class ServingSection(Section):
    """Model servers."""

    servers: tuple[AnyServer, ...] = Field(min_length=1)

    def demand(self, pool: str, namespace: str | None = None) -> int:
        """GPUs of a pool that its servers (or those of one team) take whole at the highest load."""
        own = (server for server in self.servers if server.pool == pool and not server.kind_of_slice)
        here = [one for one in own if namespace in (None, one.namespace)]
        return sum(one.most * one.cut.gpus for one in here)
