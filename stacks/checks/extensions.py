"""Rules about the site's own parts: none is a chart of ours, or takes a name or a namespace that somebody has."""

from collections import Counter
from collections.abc import Iterator

from bedplate.components.extension import ChartExtension
from bedplate.stacks.checks.tenancy import SYSTEM_PREFIXES, taken
from bedplate.stacks.profile.charts import places
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile


def check_extensions(profile: Profile) -> Iterator[Problem]:
    """Every fault of the parts."""
    if not profile.parts:  # what follows reads every section's chart
        return
    names = Counter(part.name for part in profile.parts)
    made = Counter(part.namespace for part in profile.parts if part.pod_security)
    ours = {chart.name: key for key, chart in reversed([*places(Profile)])}
    teams = {team.name for team in profile.teams}
    for key, part in keyed("extensions", profile.parts):
        home = part.namespace or ""
        if names[part.name] > 1:
            yield problem("extensions.name-twice", part.name, key)
        if isinstance(part, ChartExtension) and part.chart in ours:
            yield problem("extensions.chart-of-ours", part.chart, key, section=ours[part.chart])
        if home in teams:
            yield problem("extensions.namespace-of-a-team", home, key)
        elif part.pod_security and (home in taken() or home.startswith(SYSTEM_PREFIXES) or made[home] > 1):
            yield problem("extensions.namespace-taken", part.pod_security, key)
