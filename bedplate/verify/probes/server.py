"""One completion of a model server, and whether it tells its metrics. Prints `completion ...` and `metrics ...`.

With a key where the server wants one: it stands in the environment, and is never printed.
"""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request

PATIENCE = 300
"""Seconds for the first answer of a model that has just been loaded."""


def ask(url: str, body: dict[str, object] | None = None) -> tuple[int, str]:
    """Status and text; 0 where nobody answers."""
    key = os.environ.get("API_KEY")
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - an address of ours
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError as error:
        return 0, str(getattr(error, "reason", error))


def completion(base: str, model: str) -> str:
    """Of one word."""
    start = time.perf_counter()
    status, text = ask(f"{base}/v1/completions", {"model": model, "prompt": "The", "max_tokens": 1})
    taken = time.perf_counter() - start
    try:
        answered = bool(json.loads(text)["choices"])
    except (ValueError, KeyError, TypeError):
        answered = False
    return f"ok {taken:.2f} s" if status == 200 and answered else f"bad {status}: {' '.join(text.split())[:200]}"  # noqa: PLR2004


def metrics(url: str, prefix: str) -> str:
    """How many series it has of its own."""
    status, text = ask(url)
    own = [line for line in text.splitlines() if line.startswith(prefix)]
    return f"ok {len(own)}" if own else f"bad {status}: no series begins with {prefix}"


def main() -> int:
    """Ask, and say what came back."""
    parser = argparse.ArgumentParser()
    parser.add_argument("base", help="http://NAME:PORT")
    parser.add_argument("--model", help="as clients name it; absent: only asked whether it is ready")
    parser.add_argument("--ready", help="path that answers 200 once it is ready")
    parser.add_argument("--metrics", required=True, help="URL")
    parser.add_argument("--prefix", required=True, help="how names of its metrics begin")
    options = parser.parse_args()
    if options.model:
        sys.stdout.write(f"completion {completion(options.base, options.model)}\n")
    else:
        status, text = ask(f"{options.base}{options.ready}")
        sys.stdout.write("completion ok 0 s\n" if status == 200 else f"completion bad {status}: {text[:200]}\n")  # noqa: PLR2004
    sys.stdout.write(f"metrics {metrics(options.metrics, options.prefix)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
