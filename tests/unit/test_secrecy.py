"""A name of a Secret may be reviewed, a secret may not: by every key of every chart that we install."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml

from bedplate.charts import DATA
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import Problem, ProfileError
from bedplate.stacks.profile.secrecy import WORDS, is_secret, masked, secrets_within
from tests.stack_files import document
from tests.upstream import upstream

NAMES = {
    *("imagePullSecret", "imagePullSecrets", "image_pull_secret", "pullSecret", "pullSecrets", "existingSecret"),
    *("envFromSecret", "envFromSecrets", "grpcTLSCertsSecret", "tlsSecret", "ufmSecret", "secretEnv", "secretName"),
    *("secretNames", "tlsSecretName", "caSecretName", "webhookSecretName", "prometheusClientCertSecretName"),
    *("admission_secret_name", "configSecret"),
}
"""Name a Secret."""
DATA_KEYS = {"passwordKey"}
"""Name a key in one."""
HOLDERS = {"token", "hf_token", "vllmApiKey", "secret"}
"""As text they hold one: the chart makes a Secret of it."""
MAPPINGS = {
    *("credentials", "secretKey", "secrets", "extraSecret", "extraSecretMounts", "bearerTokenSecret"),
    *("additionalAlertManagerConfigsSecret", "additionalAlertRelabelConfigsSecret", "additionalScrapeConfigsSecret"),
    *("tlsSecretPerReplica", "secretTemplate", "createSecretJob", "tokenReviewConfig", "envRenderSecret"),
    *("additionalPrometheusSecretsAnnotations",),
}
"""Have mappings or lists below them, which tell by their own keys; text in their place is taken for a secret."""
PLAIN = {
    *(
        "allowAllServiceAccountTokenCreation",
        "assertNoLeakedSecrets",
        "automountServiceAccountToken",
        "bearerTokenFile",
    ),
    *("secretFieldSelector", "serviceAccountTokenCreationRoles", "tokenExpiration", "useExistingSecret"),
}
"""Switches, numbers, paths, selectors."""


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


@cache
def defaults() -> dict[str, Any]:
    files = sorted(upstream("values").glob("*.yaml"))
    return {path.stem: yaml.load(path.read_text(), yaml.CSafeLoader) for path in files}


def test_every_key_of_every_chart_that_speaks_of_secrets_is_known_here() -> None:
    tables = [json.loads(path.read_text()) for path in DATA.glob("*/*/keys.json")]
    every = {key for values in [*defaults().values(), *tables] for key in keys(values)}
    spoken = {key for key in every if any(word in key.lower().replace("_", "").replace("-", "") for word in WORDS)}
    assert spoken == NAMES | DATA_KEYS | HOLDERS | MAPPINGS | PLAIN


def test_no_default_of_a_chart_is_a_secret() -> None:
    assert {chart: list(secrets_within(values)) for chart, values in defaults().items() if is_secret("", values)} == {}


@pytest.mark.parametrize("key", sorted(NAMES))
def test_a_key_that_names_a_secret_takes_a_name_and_nothing_else(key: str) -> None:
    for value in ("registry", "team-a.registry", ["registry"], [{"name": "registry"}]):
        assert not is_secret(key, value)
    for value in ("Hunter2!", "nvapi-abc", "a b", "eyJhbGciOi.J9", ["ok", "hf_abcdef"], [{"name": "hf_abcdef"}]):
        assert is_secret(key, value)


@pytest.mark.parametrize("key", sorted(HOLDERS | MAPPINGS))
def test_text_in_any_other_place_of_a_secret_is_one(key: str) -> None:
    assert is_secret(key, "hunter2")
    assert is_secret("driver", {key: "hunter2"})


@pytest.mark.parametrize(
    "key", ["password", "adminPassword", "clientSecret", "apiKey", "NGC_API_KEY", "aws_access_key_id"]
)
def test_words_for_secrets_are_known_however_they_are_written(key: str) -> None:
    assert is_secret(key, "hunter2")
    assert is_secret("env", [{"name": key, "value": "hunter2"}])
    assert is_secret("env", {key: "hunter2"})


@pytest.mark.parametrize(
    "value",
    [
        {"secretKeyRef": {"name": "hub", "key": "token"}},
        {"tokenSecretRef": "hub", "passwordKey": "admin-password", "bearerTokenFile": "/var/run/token"},
        {"vllmApiKey": {"secretName": "api", "secretKey": "VLLM_API_KEY"}},
        {"volumes": [{"name": "x", "secret": {"secretName": "x", "defaultMode": 420}}]},
        {
            "prometheusSpec": {
                "secrets": ["etcd-certs"],
                "additionalScrapeConfigsSecret": {"name": "x", "key": "y.yaml"},
            }
        },
        {"env": [{"name": "TOKENIZERS_PARALLELISM", "value": "off"}, {"name": "USE_TOKEN", "value": "true"}]},
        {"env": [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}}]},
        {"tokenizer": "mistral", "secretFieldSelector": "type!=x", "password": "", "tokenExpiration": 3600},
    ],
)
def test_what_refers_to_a_secret_is_none(value: object) -> None:
    assert list(secrets_within(value)) == []


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"s3": {"secretKey": "wJalr"}}, "s3.secretKey"),
        ({"secrets": "hunter2"}, "secrets"),
        ({"env": [{"name": "A", "value": "1"}, {"name": "HF_TOKEN", "value": "x"}]}, "env[1].value"),
        ({"grafana": {"envRenderSecret": {"GF_DATABASE": "x"}}}, "grafana.envRenderSecret.GF_DATABASE"),
        ({"extraSecret": {"data": {"auth": "admin:x"}}}, "extraSecret.data.auth"),
        ({"bearerTokenFile": "eyJhbGciOi"}, "bearerTokenFile"),
        ({"passwordKey": "two words"}, "passwordKey"),
    ],
)
def test_what_holds_one_is_found_where_it_stands(value: object, path: str) -> None:
    assert [where for where, _ in secrets_within(value)] == [path]


def test_a_private_registry_and_a_licence_can_be_configured() -> None:
    profile = document("onprem-h100-roce")
    driver = {"imagePullSecrets": ["registry"], "licensingConfig": {"secretName": "licence"}}
    profile["gpuOperator"]["overrides"] = {"driver": driver, "operator": {"imagePullSecrets": ["registry"]}}
    section = load(profile).gpu_operator
    assert section
    assert section.overrides["driver"] == driver


@pytest.mark.parametrize(
    ("overrides", "key"),
    [
        ({"driver": {"imagePullSecrets": ["ghp_hunter2"]}}, "driver.imagePullSecrets[0]"),
        ({"driver": {"env": [{"name": "NGC_API_KEY", "value": "hunter2"}]}}, "driver.env[0].value"),
        ({"driver": {"licensingConfig": {"token": "hunter2"}}}, "driver.licensingConfig.token"),
    ],
)
def test_a_real_secret_in_overrides_is_refused_and_masked(overrides: dict[str, Any], key: str) -> None:
    profile = document("onprem-h100-roce")
    profile["gpuOperator"]["overrides"] = overrides
    with pytest.raises(ProfileError, match="a secret does not belong in the profile") as refused:
        load(profile)
    assert f"gpuOperator.overrides.{key} = [secret]: " in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_message_shows_names_and_masks_secrets() -> None:
    assert "pull.imagePullSecrets = ['registry']: " in str(Problem("pull.imagePullSecrets", ["registry"], "why", "fix"))
    assert "a.password = [secret]: " in str(Problem("a.password", "hunter2", "why", "fix"))
    assert "a.env = [secret]: " in str(Problem("a.env", [{"name": "API_KEY", "value": "hunter2"}], "why", "fix"))


def test_a_number_may_be_a_secret_and_a_switch_is_none() -> None:
    assert is_secret("grafana.adminPassword", 12345678)
    assert not is_secret("grafana.adminPassword", False)
    assert not is_secret("replicas", 3)


@pytest.mark.parametrize(
    "address",
    [
        "az://weights/llama?sv=2024&sig=c2VjcmV0",
        "https://one.blob.core.windows.net/weights/llama?SIG=c2VjcmV0",
        "s3://weights/llama?X-Amz-Signature=0badc0de",
        "gs://weights/llama?X-Goog-Signature=0badc0de",
    ],
)
def test_an_address_that_is_signed_is_a_secret(address: str) -> None:
    assert is_secret("url", address)
    assert not is_secret("url", address.partition("?")[0])
    assert not is_secret("url", "https://example.com/search?signal=1&design=2")


def test_what_is_masked_stays_as_it_is_when_it_is_masked_again() -> None:
    once = masked("--api-key=abc, HF_TOKEN=hf_abc")
    assert masked(once) == once == "--api-key=[secret], HF_TOKEN=[secret]"
