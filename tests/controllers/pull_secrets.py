"""Image pull secrets to test with."""

import base64
import json

PASSWORD = "hunter2"
AUTH = {"username": "robot", "password": PASSWORD, "auth": base64.b64encode(f"robot:{PASSWORD}".encode()).decode()}


def pull_secret(config=None, encoded=None, **members):
    """A Secret; `config` is its .dockerconfigjson as JSON, `encoded` as it stands there."""
    text = config if isinstance(config, bytes) else json.dumps(config).encode()
    data = {".dockerconfigjson": base64.b64encode(text).decode() if encoded is None else encoded}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "pull", "namespace": "team", "uid": "u"},
        "type": "kubernetes.io/dockerconfigjson",
        "data": data,
        **members,
    }
