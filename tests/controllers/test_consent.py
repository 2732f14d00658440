import pytest

from hooks.controllers.consent import refusal
from hooks.settings import Settings

ANNOTATION = "nvidia.com/allow-deployments-from"


def namespace(name="serving", consent=None):
    return {"metadata": {"name": name} | ({"annotations": {ANNOTATION: consent}} if consent is not None else {})}


@pytest.mark.parametrize("consent", ["team-a", "team-b,team-a", " team-a , team-b", "*", "team-b,*", ",team-a,"])
def test_a_namespace_consents_by_naming_the_other_one(consent):
    assert refusal("team-a", namespace(consent=consent), Settings()) is None


@pytest.mark.parametrize("consent", [None, "", ",", "team", "team-a-b", "TEAM-A", "team-*", "team-a;team-b", "**"])
def test_what_does_not_name_it_is_no_consent(consent):
    assert refusal("team-a", namespace(consent=consent), Settings()) is not None


@pytest.mark.parametrize("policy", ["consent", "allow", "deny"])
def test_its_own_namespace_needs_no_consent(policy):
    settings = Settings.model_validate({"profiling": {"crossNamespace": policy}})
    assert refusal("serving", namespace(), settings) is None


def test_the_platform_may_allow_it_for_all():
    settings = Settings.model_validate({"profiling": {"crossNamespace": "allow"}})
    assert refusal("team-a", namespace(), settings) is None


def test_the_platform_may_forbid_it_for_all():
    settings = Settings.model_validate({"profiling": {"crossNamespace": "deny"}})
    assert "profiling.crossNamespace" in refusal("team-a", namespace(consent="*"), settings)


@pytest.mark.parametrize(
    ("consent", "value"),
    [(None, "team-a"), ("", "team-a"), ("team-b, team-c", "team-b,team-c,team-a")],
)
def test_the_refusal_gives_the_command_that_consents_and_keeps_the_other_ones(consent, value):
    command = f"kubectl annotate --overwrite namespace serving {ANNOTATION}={value}"
    said = refusal("team-a", namespace(consent=consent), Settings())
    assert said.endswith(command)
    assert refusal("team-a", namespace(consent=value), Settings()) is None


@pytest.mark.parametrize(("source", "target"), [("ours", "theirs"), ("theirs", "ours")])
@pytest.mark.parametrize("policy", ["consent", "allow"])
def test_an_installation_for_some_namespaces_makes_nothing_across_its_border(source, target, policy):
    settings = Settings.model_validate(
        {
            "namespaceRestriction": {"enabled": True, "namespaces": ["ours", "also-ours"]},
            "profiling": {"crossNamespace": policy},
        }
    )
    assert "does not look after" in refusal(source, namespace(target, consent="*"), settings)
    assert refusal("also-ours", namespace("ours", consent="*"), settings) is None
