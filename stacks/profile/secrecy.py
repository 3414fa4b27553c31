"""Whether a value is a secret, or only says where one is kept.

Values of charts name Secrets, keys in them and files with them all over (`imagePullSecrets`, `passwordKey`,
`bearerTokenFile`). What is named may be reviewed, what is held may not. Which is which was decided by the keys of every
chart that we install (tests/unit/test_secrecy.py has them all); a key that is not known to refer to a secret holds one.
"""

import re
from collections.abc import Iterator
from typing import cast

WORDS = ("token", "password", "secret", "credential", "apikey", "privatekey", "accesskey")
PREFIXES = ("hf_", "AKIA", "ASIA", "ghp_", "github_pat_", "glpat-", "nvapi-", "sk-", "-----BEGIN", "dckr_pat_")
NO_SECRETS = ("", "true", "false")
SIGNED = re.compile(r"[?&](sig|x-(amz|goog)-(signature|credential|security-token)|awsaccesskeyid)=", re.IGNORECASE)
"""In the query of an address that whoever has it may read: Azure's SAS, and what S3 and Google sign."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
NAME = re.compile(r"[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?")
"""A Secret's name. What cannot be one is held, whatever the key says."""
DATA_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
"""A key in a Secret's data."""
RENDERED = re.compile(r"(^|\.)(envRenderSecret|\w*[sS]ecret\.(data|stringData))\.")
"""Mappings that the chart makes a Secret of: every value in them is one."""
NAMING = ("name", "names", "ref", "refs", "env")
"""Last words of keys that name a Secret: `secretName`, `tokenSecretRef`, `secretEnv`."""
PURPOSES = ("pull", "existing", "from", "tls", "certs", "ufm", "config")
"""Words before `Secret` in keys that name one: `imagePullSecrets`, `existingSecret`, `configSecret`."""
ABOUT = ("selector", "expiration")
"""Last words of keys that say something about secrets in general."""


ASSIGNED = re.compile(r"([A-Za-z_][\w.-]*)=(?!\[secret\])([^\s'\",;\]})]+)")
MASK = "[secret]"


def masked(text: str) -> str:
    """A line to show, but for values that are assigned to what sounds like a secret: `HF_TOKEN=…`, `--api-key=…`."""
    return ASSIGNED.sub(lambda match: f"{match[1]}={MASK}" if is_secret(match[1], match[2]) else match[0], text)


def is_secret(key: str, value: object) -> bool:
    """Whether the value of this key, or anything in it, is a secret."""
    return any(True for _ in secrets_within(value, key))


def secrets_within(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of every secret in a value."""
    match value:
        case dict():
            yield from _in_mapping(cast("dict[object, object]", value), key)
        case list() | tuple():
            for index, item in enumerate(cast("list[object]", value)):
                yield from secrets_within(item, f"{key}[{index}]")
        case str() if _held(key, value):
            yield key, value
        case int() | float() if not isinstance(value, bool) and _held(key, str(value)):
            yield key, str(value)
        case _:
            return


def _in_mapping(mapping: dict[object, object], key: str) -> Iterator[tuple[str, str]]:
    """In `{name: HF_TOKEN, value: …}` the name tells; beside `secretName`, `secretKey` is where in it to look."""
    for name, item in mapping.items():
        path = f"{key}.{name}" if key else str(name)
        if name == "secretKey" and "secretName" in mapping and isinstance(item, str) and DATA_KEY.fullmatch(item):
            continue
        variable = mapping.get("name") if name == "value" and isinstance(item, str) else None
        if isinstance(variable, str) and isinstance(item, str) and _held(variable, item):
            yield path, item
        else:
            yield from secrets_within(item, path)


def _held(key: str, text: str) -> bool:
    if text.startswith(PREFIXES) or SIGNED.search(text):
        return True
    if text.lower() in NO_SECRETS:
        return False
    last = key.rsplit(".", 1)[-1]
    named = any(word in "".join(_words(last)) for word in WORDS)
    return bool(RENDERED.search(key)) or (named and not _refers(last, text))


def _words(key: str) -> list[str]:
    """Lower case, without what reads text: a tokenizer's token is none of anybody's."""
    return [word for word in map(str.lower, WORD.findall(key)) if not word.startswith("tokeniz")]


def _refers(key: str, text: str) -> bool:
    """Whether such a key says where a secret is, and such a text can say it."""
    *before, last = _words(key)
    match last:
        case "secret" | "secrets":
            listed = not before and last == "secrets" and key.endswith("]")
            return (listed or before[-1:] in [[word] for word in PURPOSES]) and bool(NAME.fullmatch(text))
        case "key":
            return "password" in before and bool(DATA_KEY.fullmatch(text))
        case "file" | "path":
            return text.startswith("/")
        case _:
            return last in ABOUT or (last in NAMING and bool(NAME.fullmatch(text)))
