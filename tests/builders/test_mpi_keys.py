import base64
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import given
from hypothesis import strategies as st

from hooks.builders.mpi_keys import RANDOMNESS, build_mpi_keys, key_pair

bytes_for_a_key = st.binary(min_size=RANDOMNESS, max_size=RANDOMNESS)


@given(bytes_for_a_key)
def test_another_reader_of_the_format_takes_the_private_key(randomness):
    private, public = key_pair(randomness)
    key = serialization.load_ssh_private_key(private, password=None)
    raw = key.private_bytes(
        serialization.Encoding.Raw, serialization.PrivateFormat.Raw, serialization.NoEncryption()
    )  # fmt: skip
    assert raw == randomness[:32]
    assert serialization.load_ssh_public_key(public) == key.public_key()


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs OpenSSH's ssh-keygen")
def test_openssh_itself_takes_the_pair(tmp_path):
    private, public = key_pair(bytes(range(RANDOMNESS)))
    path = tmp_path / "private.key"
    path.write_bytes(private)
    path.chmod(0o600)
    told = subprocess.run(["ssh-keygen", "-y", "-f", path], capture_output=True, check=True).stdout
    assert told.split()[:2] == public.split()[:2]


@given(bytes_for_a_key, bytes_for_a_key)
def test_the_same_randomness_gives_the_same_pair_and_another_one_another(first, second):
    assert key_pair(first) == key_pair(first)
    assert (key_pair(first) == key_pair(second)) == (first == second)


@pytest.mark.parametrize("size", [0, 32, 35, 37])
def test_too_little_randomness_makes_no_key(size):
    with pytest.raises(ValueError, match=f"36 random bytes, not {size}"):
        key_pair(bytes(size))


def test_the_secret_holds_the_files_that_mpirun_needs():
    secret = build_mpi_keys("mpi-run-ssh-secret", "team", bytes(RANDOMNESS))
    assert secret["metadata"] == {"name": "mpi-run-ssh-secret", "namespace": "team"}
    files = {name: base64.b64decode(value) for name, value in secret["data"].items()}
    assert (files["private.key"], files["private.key.pub"]) == key_pair(bytes(RANDOMNESS))
