"""Whatever cluster a profile describes: it is refused with its reasons, or its plan keeps to our own rules."""

from hypothesis import given
from hypothesis import strategies as st

from bedplate.plan.verdicts import verdicts
from tests.any_profile import any_profile, soundly
from tests.examples import examples
from tests.stack_files import graph_of


@examples(40)
@given(st.data())
def test_a_plan_of_a_sound_profile_never_ends_with_exit_1(data: st.DataObject) -> None:
    profile = soundly(any_profile(lambda options: data.draw(st.sampled_from(options))))
    if profile is None:
        return
    found = verdicts(graph_of(profile), profile)
    assert [one["message"] for one in found if one["severity"] == "mandatory"] == []
