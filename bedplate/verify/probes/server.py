"""One answer of a model server, and whether it tells its metrics. Prints `completion ...` and `metrics ...`.

With a key where the server wants one: it stands in the environment, and is never printed.
"""

import argparse
import io
import json
import os
import sys
import time
import urllib.error
import urllib.request
import wave

HEARD = "/v1/audio/transcriptions"
TASKS: dict[str, tuple[str, str, dict[str, object]]] = {
    "generate": ("/v1/completions", "choices", {"prompt": "The", "max_tokens": 1}),
    "embed": ("/v1/embeddings", "data", {"input": "The"}),
    "classify": ("/classify", "data", {"input": "The"}),
    "transcribe": (HEARD, "text", {}),
}
"""Path, key of the answer and body of each (vLLM documentation, "OpenAI-Compatible Server")."""
RATE, EDGE = 16_000, "bedplate-probe"
PATIENCE = 300
"""Seconds for the first answer of a model that has just been loaded."""


def ask(url: str, body: dict[str, object] | None = None) -> tuple[int, str]:
    """Status and text; 0 where nobody answers."""
    key = os.environ.get("API_KEY")
    heard = url.endswith(HEARD)
    data, kind = (
        form(body) if body and heard else (None if body is None else json.dumps(body).encode(), "application/json")
    )
    headers = {"Content-Type": kind, **({"Authorization": f"Bearer {key}"} if key else {})}
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - an address of ours
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError as error:
        return 0, str(getattr(error, "reason", error))


def completion(base: str, model: str, task: str) -> str:
    """Of one word, one vector, one class or a second of silence."""
    start = time.perf_counter()
    path, field, body = TASKS[task]
    status, text = ask(f"{base}{path}", {"model": model, **body})
    taken = time.perf_counter() - start
    try:
        answered = json.loads(text)[field] is not None
    except (ValueError, KeyError, TypeError):
        answered = False
    return f"ok {taken:.2f} s" if status == 200 and answered else f"bad {status}: {' '.join(text.split())[:200]}"  # noqa: PLR2004


def form(fields: dict[str, object]) -> tuple[bytes, str]:
    """A second of silence beside the fields, and the type of such a body (RFC 7578)."""
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(bytes(2 * RATE))
    head = f'--{EDGE}\r\nContent-Disposition: form-data; name="'
    body = "".join(f'{head}{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
    named = f'{head}file"; filename="silence.wav"\r\nContent-Type: audio/wav\r\n\r\n'
    return (
        body + named
    ).encode() + sound.getvalue() + f"\r\n--{EDGE}--\r\n".encode(), f"multipart/form-data; boundary={EDGE}"


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
    parser.add_argument("--task", default="generate", choices=TASKS, help="what it is asked for")
    parser.add_argument("--ready", help="path that answers 200 once it is ready")
    parser.add_argument("--metrics", required=True, help="URL")
    parser.add_argument("--prefix", required=True, help="how names of its metrics begin")
    options = parser.parse_args()
    if options.model:
        sys.stdout.write(f"completion {completion(options.base, options.model, options.task)}\n")
    else:
        status, text = ask(f"{options.base}{options.ready}")
        sys.stdout.write("completion ok 0 s\n" if status == 200 else f"completion bad {status}: {text[:200]}\n")  # noqa: PLR2004
    sys.stdout.write(f"metrics {metrics(options.metrics, options.prefix)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
