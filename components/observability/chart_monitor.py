"""The ServiceMonitor that a chart brings: every chart's, so that none is asked for where nobody has the kind."""

from typing import Any

from bedplate.components.facts import Monitoring


def chart_monitor(monitoring: Monitoring | None, **more: object) -> dict[str, Any]:
    """The usual `serviceMonitor` of a chart's values: off where nobody scrapes, or Google does, by its own kinds."""
    if monitoring is None or monitoring.google:
        return {"enabled": False}
    labels = {"additionalLabels": dict(monitoring.labels)} if monitoring.labels else {}
    return {"enabled": True, **labels, **more}
