import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.pods.pull_secrets import fitting, image_host, images_of, registry_host

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("image", "host"),
    [
        ("ubuntu", "docker.io"),
        ("ubuntu:22.04", "docker.io"),
        (f"ubuntu@{DIGEST}", "docker.io"),
        (f"ubuntu:22.04@{DIGEST}", "docker.io"),
        ("library/ubuntu", "docker.io"),
        ("nvidia/cuda:12.8", "docker.io"),
        ("a/b/c:1", "docker.io"),
        ("docker.io/library/ubuntu", "docker.io"),
        ("index.docker.io/library/ubuntu", "docker.io"),
        ("registry-1.docker.io/library/ubuntu", "docker.io"),
        ("DOCKER.IO/library/ubuntu", "docker.io"),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.1", "nvcr.io"),
        (f"nvcr.io/nvidia/ai-dynamo/vllm-runtime@{DIGEST}", "nvcr.io"),
        (f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.1@{DIGEST}", "nvcr.io"),
        ("NVCR.IO/nvidia/x", "nvcr.io"),
        ("localhost/x", "localhost"),
        ("localhost:5000/x", "localhost:5000"),
        ("LocalHost:5000/x", "localhost:5000"),
        ("localhosts/x", "docker.io"),
        ("registry:5000/x/y:1", "registry:5000"),
        (f"registry:5000/x@{DIGEST}", "registry:5000"),
        ("registry/x", "docker.io"),
        ("registry.example.com:443/x", "registry.example.com:443"),
        ("10.0.0.1/x", "10.0.0.1"),
        ("10.0.0.1:5000/x", "10.0.0.1:5000"),
        ("[::1]:5000/x", "[::1]:5000"),
        ("123456789012.dkr.ecr.eu-west-1.amazonaws.com/x:1", "123456789012.dkr.ecr.eu-west-1.amazonaws.com"),
        ("europe-docker.pkg.dev/project/repository/x", "europe-docker.pkg.dev"),
    ],
)
def test_the_host_of_an_image_is_the_one_that_docker_reads(image, host):
    assert image_host(image) == host


@pytest.mark.parametrize(
    ("key", "host"),
    [
        ("nvcr.io", "nvcr.io"),
        ("https://nvcr.io", "nvcr.io"),
        ("http://nvcr.io/", "nvcr.io"),
        ("https://nvcr.io/v2/", "nvcr.io"),
        ("nvcr.io/nvidia/ai-dynamo", "nvcr.io"),
        ("HTTPS://NVCR.IO/v2/", "nvcr.io"),
        (" nvcr.io\n", "nvcr.io"),
        ("nvcr.io:443", "nvcr.io:443"),
        ("https://registry:5000/v1/", "registry:5000"),
        ("localhost", "localhost"),
        ("localhost:5000", "localhost:5000"),
        ("10.0.0.1:5000", "10.0.0.1:5000"),
        ("http://[::1]:5000/v2", "[::1]:5000"),
        ("docker.io", "docker.io"),
        ("index.docker.io", "docker.io"),
        ("registry-1.docker.io", "docker.io"),
        ("https://index.docker.io/v1/", "docker.io"),
        ("https://index.docker.io/v1", "docker.io"),
        ("index.docker.io/v1/", "docker.io"),
        ("https://registry-1.docker.io/v2/", "docker.io"),
        ("https://user:hunter2@nvcr.io/v2/", "nvcr.io"),
        ("user:hunter2@registry:5000", "registry:5000"),
        ("https://nvcr.io?token=hunter2", "nvcr.io"),
        ("nvcr.io#hunter2", "nvcr.io"),
        ("*.example.com", "*.example.com"),
    ],
)
def test_a_key_of_a_secret_may_be_a_host_or_a_url(key, host):
    assert registry_host(key) == host


@pytest.mark.parametrize(
    "key",
    [
        *("", " ", "/", "https://", "https:///v1/", "registry", "*", "a..b", "-.io", "[::1", "ghp_a.b c"),
        *("nvcr.io:", "nvcr.io:443:443", "nvcr.io:٤٤٣", "\uff4evcr.io"),
        *("hunter2", "dckr_pat_hunter2", "nvcr.io:hunter2", "user:hunter2@"),
    ],
)
def test_what_no_image_can_name_is_no_registry_and_may_be_a_secret(key):
    assert registry_host(key) is None


@given(st.text())
def test_any_key_is_read_or_left_out(key):
    host = registry_host(key)
    assert host is None or re.fullmatch(r"[-a-z0-9.*:\[\]]+", host)


@given(st.from_regex(r"[a-z0-9]+(\.[a-z0-9]+)+(:[0-9]{1,5})?", fullmatch=True), st.sampled_from(["x", "x/y:1"]))
def test_a_key_that_is_the_host_of_an_image_fits_it(host, path):
    assert fitting([f"{host}/{path}"], {"s": [registry_host(host)]}) == ("s",)


SECRETS = {
    "z-hub": ["docker.io"],
    "nvidia": ["nvcr.io"],
    "both": ["docker.io", "nvcr.io"],
    "local": ["localhost:5000"],
    "plain-local": ["localhost"],
    "port": ["registry.example.com:5000"],
    "glob": ["*.dkr.ecr.*.amazonaws.com"],
    "none": [],
}


@pytest.mark.parametrize(
    ("images", "secrets", "reason"),
    [
        (["nvcr.io/x"], ("both", "nvidia"), "every secret that fits, in order of their names"),
        (["ubuntu"], ("both", "z-hub"), "an image without a host is Docker Hub's"),
        (["index.docker.io/library/ubuntu"], ("both", "z-hub"), "so is one with another of its names"),
        (["ubuntu", "nvcr.io/x"], ("both", "nvidia", "z-hub"), "all images count, each secret once"),
        (["localhost:5000/x"], ("local",), "the port counts"),
        (["localhost/x"], ("plain-local",), "and so does that there is none"),
        (["localhost:5001/x"], (), "another port is another registry"),
        (["registry.example.com/x"], (), "no port is not any port"),
        (["registry.example.com:5000/x"], ("port",), "the right one"),
        (["example.com:5000/x", "x.registry.example.com:5000/x"], (), "a domain is not its neighbours"),
        (["nvcr.io.example.com/x", "xnvcr.io/x", "nvcrxio/x.y"], ("both", "z-hub"), "a dot is a dot"),
        (["1.dkr.ecr.eu-west-1.amazonaws.com/x"], ("glob",), "a star stands for a part of a name"),
        (["1.2.dkr.ecr.eu.amazonaws.com/x", "dkr.ecr.eu.amazonaws.com/x"], (), "for one part, and no more"),
        (["1.dkr.ecr.eu.amazonaws.com:80/x"], (), "and for no port"),
        ([], (), "no image, no secret"),
    ],
)
def test_secrets_fit_by_the_host_of_the_registry(images, secrets, reason):
    assert fitting(images, SECRETS) == secrets, reason
    assert fitting(reversed(images), dict(reversed(SECRETS.items()))) == secrets, "whatever the order"


def test_all_images_of_a_pod_count():
    pod = {
        "containers": [{"name": "main", "image": "a/main"}, {"name": "side", "image": "b/side"}],
        "initContainers": [{"name": "init", "image": "c/init"}, {"name": "again", "image": "a/main"}],
        "volumes": [{"name": "weights", "image": {"reference": "d/weights"}}, {"name": "empty", "emptyDir": {}}],
    }
    assert images_of(pod) == ["a/main", "b/side", "c/init", "d/weights"]


@pytest.mark.parametrize(
    "pod",
    [{}, {"containers": None}, {"containers": [{"name": "main"}, {"image": 1}, {"image": ""}, "x"]}, {"volumes": "x"}],
)
def test_a_pod_without_images_has_none(pod):
    assert images_of(pod) == []
