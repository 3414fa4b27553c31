"""Which addresses answer a pod that its team's NetworkPolicies close.

Prints `names yes` if the cluster's name service answers, `tries ADDRESS ADDRESS`, and `reaches ADDRESS`: those that
answer for all of SECONDS, as a network may keep a policy only a moment after the pod has started.
"""

import os
import socket
import sys
import time
from threading import Event

APART = 1.0


def answers(address: str) -> bool:
    """HOST:PORT takes a connection."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
    except OSError:
        return False
    return True


def names() -> bool:
    """The pod has a network at all."""
    try:
        return bool(socket.getaddrinfo(os.environ.get("NAME", "kubernetes.default.svc"), None))
    except OSError:
        return False


def main(seconds: float, *addresses: str) -> None:
    """But its own node, which a network may let it reach."""
    own = os.environ.get("HOST_IP", "")
    tried = [address for address in addresses if address.rpartition(":")[0].strip("[]") != own]
    end, left = time.monotonic() + seconds, [address for address in tried if answers(address)]
    while left and time.monotonic() < end:
        Event().wait(APART)  # nobody sets it: a pause before the next call
        left = [address for address in left if answers(address)]
    resolved = "yes" if names() else "no"
    sys.stdout.write(f"names {resolved}\ntries {' '.join(tried)}\nreaches {' '.join(left)}\n")


if __name__ == "__main__":
    main(float(sys.argv[1]), *sys.argv[2:])
