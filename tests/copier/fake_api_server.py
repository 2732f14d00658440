"""A small HTTP server that answers like the API server, and a time that is a number which sleeping raises."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POD = "/api/v1/namespaces/inference/pods/profile-chat-x"
CONFIG_MAPS = "/api/v1/namespaces/inference/configmaps"
OUTPUT = f"{CONFIG_MAPS}/dgdr-output-chat"
FORBIDDEN = (403, 'pods "profile-chat-x" is forbidden: User "system:serviceaccount:inference:x" cannot get it')


class FakeTime:
    """A clock that is raised by sleeping alone; what shall happen at some time happens then."""

    def __init__(self):
        self.now = 0.0
        self.due = []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        assert seconds > 0
        self.now += seconds
        while self.due and self.due[0][0] <= self.now:
            self.due.pop(0)[1]()

    def at(self, seconds, happen):
        self.due = sorted([*self.due, (seconds, happen)], key=lambda entry: entry[0])


class FakeApiServer(ThreadingHTTPServer):
    """One pod, and ConfigMaps."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), FakeRequests)
        self.profiler = {"running": {}}
        self.phase = "Running"
        self.config_maps = {}
        self.version = 0
        self.failing = None
        """`(method, path)` → a status and a message, "drop", or None where it works."""
        self.calls = []
        self.token = "first"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def ends(self, code=0, **said):
        self.profiler = {"terminated": {"exitCode": code, **said}}

    def pod(self):
        containers = [
            {"name": "output-copier", "state": {"running": {}}},
            {"name": "profiler", "state": self.profiler},
        ]
        return {
            "metadata": {"name": "profile-chat-x"},
            "status": {"phase": self.phase, "containerStatuses": containers},
        }

    def stored(self, item):
        self.version += 1
        return {**item, "metadata": {**item["metadata"], "resourceVersion": str(self.version)}}


class FakeRequests(BaseHTTPRequestHandler):
    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def refuse(self, status, message):
        self.answer(status, {"kind": "Status", "status": "Failure", "message": message, "code": status})

    def handle_one(self, method):
        api = self.server
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "null")
        api.calls.append((method, self.path))
        failure = api.failing(method, self.path) if api.failing else None
        if failure == "drop":
            self.close_connection = True
        elif failure:
            self.refuse(*failure)
        elif self.headers.get("Authorization") != f"Bearer {api.token}":
            self.refuse(401, "Unauthorized")
        elif (method, self.path) == ("GET", POD):
            self.answer(200, api.pod())
        elif method == "GET" and self.path in api.config_maps:
            self.answer(200, api.config_maps[self.path])
        elif (method, self.path) == ("POST", CONFIG_MAPS):
            self.create(api, body)
        elif method == "PUT" and self.path in api.config_maps:
            self.replace(api, body)
        else:
            self.refuse(404, "not found")

    def create(self, api, body):
        path = f"{CONFIG_MAPS}/{body['metadata']['name']}"
        if path in api.config_maps:
            self.refuse(409, "already exists")
        else:
            api.config_maps[path] = api.stored(body)
            self.answer(201, api.config_maps[path])

    def replace(self, api, body):
        if body["metadata"]["resourceVersion"] != api.config_maps[self.path]["metadata"]["resourceVersion"]:
            self.refuse(409, "the object has been modified")
        else:
            api.config_maps[self.path] = api.stored(body)
            self.answer(200, api.config_maps[self.path])

    def do_GET(self):
        self.handle_one("GET")

    def do_POST(self):
        self.handle_one("POST")

    def do_PUT(self):
        self.handle_one("PUT")

    def log_message(self, *_):
        pass
