"""Rules about the site's own parts: none is a chart of ours, or takes a name or a namespace that somebody has."""

from collections import Counter
from collections.abc import Iterator

from bedplate.components.extension import ChartExtension
from bedplate.stacks.checks.tenancy import SYSTEM_PREFIXES, taken
from bedplate.stacks.profile.charts import places
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile


def check_extensions(profile: Profile) -> Iterator[Problem]:
    """Every fault of the parts."""
    names = Counter(one.name for one in profile.parts)
    made = Counter(one.namespace for one in profile.parts if one.pod_security)
    ours = {chart.name: key for key, chart in reversed([*places(Profile)])} if profile.parts else {}
    teams = {team.name for team in profile.teams}
    for key, one in keyed("extensions", profile.parts):
        home = one.namespace or ""
        if names[one.name] > 1:
            yield Problem(f"{key}.name", one.name, "another part has this name", "give each its own")
        if isinstance(one, ChartExtension) and one.chart in ours:
            fix = f"ask for it by the section {ours[one.chart]}"
            yield Problem(f"{key}.chart", one.chart, "a chart that Bedplate installs itself", fix)
        if home in teams:
            fix = "use one of its own: in a team's only what its queue admits may run"
            yield Problem(f"{key}.namespace", home, "a team's namespace", fix)
        elif one.pod_security and (home in taken() or home.startswith(SYSTEM_PREFIXES) or made[home] > 1):
            reason = "a namespace that is there already, or that another part makes"
            yield Problem(f"{key}.podSecurity", one.pod_security, reason, "remove it, or use another namespace")
