"""Why a cloud's command failed, in one line."""

import pytest

from bedplate.preflight.ask import reason

NO_ACCOUNT = """ERROR: (gcloud.container.clusters.describe) You do not currently have an active account selected.
Please run:

  $ gcloud auth login

to obtain new credentials.

If you have already logged in with a different account, run:

  $ gcloud config set account ACCOUNT

to select an already authenticated account to use.
"""
NOT_THERE = """WARNING: the region is deprecated.
ERROR: (gcloud.compute.reservations.describe) Could not fetch resource:
 - The resource 'projects/p/zones/z/reservations/r' was not found
"""
OF_AWS = "\nAn error occurred (UnauthorizedOperation) when calling the DescribeSubnets operation: not authorized\n"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            NO_ACCOUNT,
            (
                "ERROR: (gcloud.container.clusters.describe) You do not currently have an active account selected."
                " Please run: $ gcloud auth login"
            ),
        ),
        (
            NOT_THERE,
            (
                "ERROR: (gcloud.compute.reservations.describe) Could not fetch resource: - The resource"
                " 'projects/p/zones/z/reservations/r' was not found"
            ),
        ),
        (OF_AWS, OF_AWS.strip()),
        ("", ""),
    ],
)
def test_the_error_is_said_and_what_helps_and_not_just_the_last_line(said: str, line: str) -> None:
    assert reason(said) == line
