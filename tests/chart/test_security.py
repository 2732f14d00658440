"""What the chart's own pods and accounts may do: nothing."""

import copy

import pytest

from tests.chart import rendered
from tests.chart.rendered import RESTRICTED, TLS, every_variant

ROLES = {
    "dynamo-planner": {
        "nvidia.com/dynamocomponentdeployments": "create get list patch update",
        "nvidia.com/dynamocomponentdeployments/scale": "create get list patch update",
        "nvidia.com/dynamographdeployments": "create get list patch update",
        "nvidia.com/dynamographdeployments/scale": "create get list patch update",
    },
    "dynamo-profiling": {
        "/configmaps": "create delete get patch update",
        "nvidia.com/dynamographdeploymentrequests": "get",
        "nvidia.com/dynamographdeployments": "create delete get list watch",
        "/pods": "create delete get list",
        "/pods/log": "get",
    },
    "dynamo-node-reader": {"/nodes": "get list watch"},
}
VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}


def pod_security_faults(spec):
    """What the Pod Security Standard "restricted" forbids in a pod. Source: Kubernetes' documentation, each control."""
    pod = spec.get("securityContext", {})
    yield from (f"{key} is set" for key in ("hostNetwork", "hostPID", "hostIPC") if spec.get(key))
    yield from (f"{key} is set" for key in ("sysctls", "windowsOptions", "seLinuxOptions") if pod.get(key))
    yield from (f"volume {each['name']}" for each in spec.get("volumes", ()) if not each.keys() & VOLUMES)
    for container in [*spec["containers"], *spec.get("initContainers", ()), *spec.get("ephemeralContainers", ())]:
        own = container.get("securityContext", {})
        profile = own.get("seccompProfile", pod.get("seccompProfile", {})).get("type")
        capabilities = own.get("capabilities", {})
        yield from (
            f"{container['name']}: {fault}"
            for fault, holds in {
                "is privileged": own.get("privileged"),
                "may escalate privileges": own.get("allowPrivilegeEscalation") is not False,
                "may run as root": own.get("runAsNonRoot", pod.get("runAsNonRoot")) is not True,
                "runs as root": own.get("runAsUser", pod.get("runAsUser", 1)) == 0,
                "has no seccomp profile": profile not in {"RuntimeDefault", "Localhost"},
                "keeps capabilities": capabilities.get("drop") != ["ALL"],
                "adds capabilities": set(capabilities.get("add", ())) - {"NET_BIND_SERVICE"},
                "takes ports of its node": any(port.get("hostPort") for port in container.get("ports", ())),
                "has another procMount": own.get("procMount", "Default") != "Default",
            }.items()
            if holds
        )


@every_variant
def test_our_pods_may_run_in_namespaces_that_enforce_restricted(values):
    assert list(pod_security_faults(rendered.pod(values))) == []


FORBIDDEN = [
    (lambda pod: pod.update(hostNetwork=True), "hostNetwork is set"),
    (lambda pod: pod["volumes"].append({"name": "root", "hostPath": {"path": "/"}}), "volume root"),
    (lambda pod: pod["securityContext"].pop("runAsNonRoot"), "hooks: may run as root"),
    (lambda pod: pod["securityContext"].update(runAsUser=0), "hooks: runs as root"),
    (lambda pod: pod["securityContext"].pop("seccompProfile"), "hooks: has no seccomp profile"),
    (lambda pod: pod["containers"][0].pop("securityContext"), "hooks: keeps capabilities"),
    (lambda pod: pod["containers"][0]["ports"][0].update(hostPort=80), "hooks: takes ports of its node"),
]
every_forbidden = pytest.mark.parametrize(("change", "fault"), FORBIDDEN, ids=[fault for _, fault in FORBIDDEN])


@every_forbidden
def test_the_rule_sees_what_is_forbidden(change, fault):
    pod = copy.deepcopy(rendered.pod())
    change(pod)
    assert fault in list(pod_security_faults(pod))


@every_variant
def test_the_root_file_system_is_read_only(values):
    (container,) = rendered.pod(values)["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


@every_variant
def test_our_account_has_no_rights_and_its_token_is_mounted_nowhere(values):
    found = rendered.objects(values)
    assert [item["kind"] for item in found if "Binding" in item["kind"] or item["kind"] == "Role"] == []
    accounts = [item for item in found if item["kind"] == "ServiceAccount"]
    assert [account["automountServiceAccountToken"] for account in accounts] == [False]
    pod = rendered.pod(values)
    assert pod["serviceAccountName"] == accounts[0]["metadata"]["name"]
    assert pod["automountServiceAccountToken"] is False
    assert not any("projected" in volume for volume in pod["volumes"])


def rights(role):
    return {
        f"{group}/{resource}": " ".join(sorted(rule["verbs"]))
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def test_cluster_roles_allow_what_users_pods_need_and_nothing_else():
    assert {name: rights(role) for name, role in rendered.of_kind("ClusterRole").items()} == ROLES


def test_a_restricted_installation_has_cluster_roles_of_its_own_and_none_for_nodes():
    assert {name: rights(role) for name, role in rendered.of_kind("ClusterRole", RESTRICTED).items()} == {
        "dynamo-planner-teams": ROLES["dynamo-planner"],
        "dynamo-profiling-teams": ROLES["dynamo-profiling"],
    }


def test_cluster_roles_can_be_called_otherwise():
    names = {"plannerClusterRole": "a", "profilingClusterRole": "b", "nodeReaderClusterRole": "c"}
    assert set(rendered.of_kind("ClusterRole", {"rbac": names})) == {"a", "b", "c"}


@every_variant
def test_two_versions_never_answer_in_turn(values):
    (deployment,) = rendered.of_kind("Deployment", values).values()
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert rendered.revision(values)


def test_pods_get_more_time_to_end_than_running_calls():
    assert rendered.pod()["terminationGracePeriodSeconds"] > 20  # hooks/server.py


def test_every_call_carries_the_token():
    secret = {"name": "dynamo-hooks-token", "namespace": "dynamo-hooks", "key": "token"}
    for hook in rendered.webhooks(rendered.controllers()):
        assert hook["authorization"] == {"type": "Bearer", "secretRef": secret}
    assert len(rendered.token()["token"]) == 48


def test_without_a_token_none_is_asked_for():
    values = {"auth": {"enabled": False}}
    assert not any("authorization" in hook for hook in rendered.webhooks(rendered.controllers(values)))
    assert not any("TOKEN" in entry["name"] for entry in rendered.pod(values)["containers"][0]["env"])
    assert rendered.of_kind("Secret", values) == {}


def test_a_token_of_one_s_own_is_taken_as_it_is():
    values = {"auth": {"existingSecret": "mine"}}
    assert rendered.of_kind("Secret", values) == {}
    (hook, *_) = rendered.webhooks(rendered.controllers(values))
    assert hook["authorization"]["secretRef"]["name"] == "mine"
    assert rendered.revision(values) == rendered.revision(values)


def test_calls_come_over_tls_and_are_checked_against_the_ca_of_the_secret():
    for hook in rendered.webhooks(rendered.controllers(TLS)):
        assert hook["url"].startswith("https://dynamo-hooks.dynamo-hooks.svc/")
        reference = {"name": "certificate", "namespace": "dynamo-hooks", "key": "ca.crt"}
        assert hook["caBundle"] == {"secretRef": reference}
    (service,) = rendered.of_kind("Service", TLS).values()
    assert [port["port"] for port in service["spec"]["ports"]] == [443]
    (container,) = rendered.pod(TLS)["containers"]
    assert {container[probe]["httpGet"]["scheme"] for probe in container if probe.endswith("Probe")} == {"HTTPS"}


def test_a_ca_that_everybody_knows_is_not_named():
    values = {"tls": {"secretName": "certificate", "caKey": ""}}
    assert not any("caBundle" in hook for hook in rendered.webhooks(rendered.controllers(values)))


@pytest.mark.parametrize(
    "change",
    [
        {"natsAddress": "nats://other:4222"},
        {"defaults": {"worker": {"startupProbe": {"failureThreshold": 1}}}},
        {"server": {"threads": 2}},
        {"image": {"tag": "0.1.1"}},
        {"auth": {"existingSecret": "mine", "tokenRevision": "2"}},
        {"auth": {"existingSecret": "another"}},
        TLS,
    ],
)
def test_urls_change_with_settings_version_token_and_certificate(change):
    before = {"auth": {"existingSecret": "mine"}}
    assert rendered.revision(before | change) != rendered.revision(before)


@pytest.mark.parametrize("change", [{"replicas": 3}, {"podAnnotations": {"a": "b"}}, {"metrics": {}}])
def test_urls_stay_when_no_answer_changes(change):
    before = {"auth": {"existingSecret": "mine"}}
    assert rendered.revision(before | change) == rendered.revision(before)


def allowed(values):
    (policy,) = rendered.of_kind("NetworkPolicy", values).values()
    (rule,) = policy["spec"]["ingress"]
    return [peer["namespaceSelector"]["matchLabels"] for peer in rule["from"]]


def test_only_metacontroller_s_namespace_may_connect_and_prometheus_where_it_is_named():
    metacontroller = {"kubernetes.io/metadata.name": "metacontroller"}
    assert allowed({}) == [metacontroller]
    assert allowed({"metrics": {"namespaceSelector": {"team": "monitoring"}}}) == [
        metacontroller,
        {"team": "monitoring"},
    ]
