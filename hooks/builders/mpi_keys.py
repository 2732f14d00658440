"""The Secret with the key pair by which the nodes of a TensorRT-LLM component reach each other through SSH.

Source for the format of the private key: OpenSSH, PROTOCOL.key ("openssh-key-v1"). `cryptography` makes the key; it
would write the format too, but with random bytes of its own, and here the same randomness gives the same Secret.
"""

import base64

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hooks.kinds import SECRET
from hooks.protocol import Object

RANDOMNESS = 36
"""Random bytes that a key pair takes: 32 for the key, 4 for the number by which OpenSSH checks a passphrase."""

PRIVATE_KEY = "private.key"
PUBLIC_KEY = "private.key.pub"

_ALGORITHM = b"ssh-ed25519"
_COMMENT = b"dynamo-mpi-run"
_LINE = 70
"""Characters of a line in the private key, as ssh-keygen writes it."""


def build_mpi_keys(name: str, namespace: str, randomness: bytes) -> Object:
    """The Secret with a new key pair, made from 36 random bytes."""
    private, public = key_pair(randomness)
    return {
        "apiVersion": SECRET.api_version,
        "kind": SECRET.kind,
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
        "data": {
            PRIVATE_KEY: base64.b64encode(private).decode(),
            PUBLIC_KEY: base64.b64encode(public).decode(),
        },
    }


def key_pair(randomness: bytes) -> tuple[bytes, bytes]:
    """A private and a public key as OpenSSH's files hold them, without a passphrase.

    Raises:
        ValueError: there are not 36 random bytes.
    """
    if len(randomness) != RANDOMNESS:
        raise ValueError(f"a key pair takes {RANDOMNESS} random bytes, not {len(randomness)}")
    seed, check = randomness[:32], randomness[32:]
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    public_blob = _text(_ALGORITHM) + _text(public)
    secret = check + check + public_blob + _text(seed + public) + _text(_COMMENT)
    secret += bytes(range(1, 1 + -len(secret) % 8))
    # Cipher, key derivation and its options, and the number of keys.
    header = b"openssh-key-v1\0" + _text(b"none") + _text(b"none") + _text(b"") + _number(1)
    encoded = base64.b64encode(header + _text(public_blob) + _text(secret)).decode()
    lines = [encoded[start : start + _LINE] for start in range(0, len(encoded), _LINE)]
    private = "\n".join(["-----BEGIN OPENSSH PRIVATE KEY-----", *lines, "-----END OPENSSH PRIVATE KEY-----", ""])
    return private.encode(), b" ".join([_ALGORITHM, base64.b64encode(public_blob), _COMMENT]) + b"\n"


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def _text(value: bytes) -> bytes:
    return _number(len(value)) + value
