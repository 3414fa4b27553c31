"""Run a Pulumi program in this process, against a monitor of our own.

Each run has a context of its own: the SDK keeps its settings, configuration and root stack in context variables, so
two runs in one process do not see each other.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context
from typing import Any, ParamSpec, TypeVar

import pulumi
from pulumi.runtime import mocks, resource, settings
from pulumi.runtime.proto import source_pb2
from pulumi.runtime.stack import run_in_stack

from .monitor import FEATURES, Monitor
from .wire import MASK

P = ParamSpec("P")
T = TypeVar("T")
STACK_TRACE = "_get_stack_trace"
"""The SDK's own function, by which it describes each resource."""


def run(
    program: Callable[[], Any], monitor: Monitor, config: Mapping[str, str], secret_keys: Iterable[str] = ()
) -> None:
    """Run the program to its end; whatever it raises comes out."""

    def noted() -> None:
        pulumi.runtime.register_stack_transformation(monitor.declare)
        program()

    def in_own_context() -> None:
        _configure(monitor)
        pulumi.runtime.set_all_config(dict(config), list(secret_keys))
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            loop.set_default_executor(_Inline())
            # The error that ended a program is raised below; the SDK's other tasks repeat it, unasked.
            loop.set_exception_handler(lambda _loop, _context: None)
            runner.run(run_in_stack(noted))

    with _without_stack_traces():
        Context().run(in_own_context)


@contextlib.contextmanager
def placeholders() -> Generator[set[str]]:
    """While it lasts, `require_secret` answers `[secret]` for what is not set, and collects its key: a plan goes on.

    Rejected: running the program again for each missing key. That cost a whole run per secret.
    """
    missing: set[str] = set()
    as_usual = pulumi.Config.require_secret

    def require_secret(self: pulumi.Config, key: str) -> pulumi.Output[str]:
        if self.get(key) is not None:
            return as_usual(self, key)
        missing.add(self.full_key(key))
        return pulumi.Output.secret(MASK)

    pulumi.Config.require_secret = require_secret
    try:
        yield missing
    finally:
        pulumi.Config.require_secret = as_usual


@contextlib.contextmanager
def _without_stack_traces() -> Generator[None]:
    """While it lasts, no resource says where in the program it was declared.

    The monitor does not ask, and to go through the frames for each resource is a sixth of a run.
    """
    as_usual = vars(resource).get(STACK_TRACE)
    setattr(resource, STACK_TRACE, source_pb2.StackTrace)
    try:
        yield
    finally:
        setattr(resource, STACK_TRACE, as_usual)


def _configure(monitor: Monitor) -> None:
    """Make the monitor the engine. The one place that knows how the SDK's mock settings are made."""
    settings.configure(
        mocks.MockSettings(
            monitor=monitor,
            engine=monitor,
            project=monitor.project,
            stack=monitor.stack,
            dry_run=monitor.preview,
            organization="organization",
            callbacks=monitor.transforms,
            package_refs={},
            outputs=_Outstanding(),
            lock=threading.Lock(),
            base_providers_by_ref={},
            monitor_features=set(FEATURES),
        )
    )


class _Outstanding(set[Any]):
    """The outputs that the SDK still waits for, handed out one at a time.

    Its `wait_for_rpcs` takes them all, waits for the first to complete, puts the others back and starts anew: 1,600
    resources in a chain of components cost 35 seconds that way and 2 this way. It waits for all of them in the end, so
    one after the other will do.
    """

    _next: Any = None

    def __iter__(self) -> Iterator[Any]:
        if self:
            self._next = self.pop()
            self.add(self._next)
            yield self._next

    def clear(self) -> None:
        """Take out what the last iteration showed."""
        self.discard(self._next)


class _Inline(ThreadPoolExecutor):
    """Runs each call at once: the monitor answers in microseconds, and the order of creation is always the same."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for the result
            future.set_exception(error)
        return future
