"""Releases of the chart in an embedded cluster: what Helm renders is what runs there."""

import io
import json
import shutil

import yaml

from hooks.app import create_app
from hooks.configuration import settings_of
from hooks.log import open_log
from hooks.settings import Settings
from hooks.simulator.installation import Installation, our_installation
from hooks.simulator.metacontroller.manifests import read_controllers
from hooks.tokens import Tokens
from tests.chart import rendered

VALUES = {"auth": {"existingSecret": "mine"}, "optionalAPIs": {"leaderWorkerSet": True}}
"""What the Secret holds is the scenario's: a token of the chart's own would be another one with each rendering."""


def older_chart(folder):
    """A chart from before the present one: of another version, and without a controller that came since."""
    shutil.copytree(rendered.CHART, folder)
    manifest = folder / "Chart.yaml"
    manifest.write_text(manifest.read_text().replace(rendered.chart().version, "0.0.9"))
    (folder / "files" / "controllers" / "request_labels.yaml").unlink()
    return folder


class Release:
    """What one `helm install` or `helm upgrade` brings; `tokens` are those that its pods accept, the newest first."""

    def __init__(self, chart=rendered.CHART, tokens=("first",), values=VALUES):
        found = rendered.objects(values, folder=chart)
        (config,) = (item for item in found if item["kind"] == "ConfigMap")
        self.settings = settings_of(yaml.safe_load(config["data"]["settings.yaml"]))
        self.controllers = tuple(read_controllers(found))
        self.revisions = {hook.path.partition("?v=")[2] for item in self.controllers for hook in item.hooks.values()}
        self.tokens = tokens
        self._log = io.BytesIO()

    def installation(self):
        """It, to be put into a cluster."""
        kinds = our_installation(Settings(), ["LeaderWorkerSet"]).resources
        return Installation(self._application, self.controllers, kinds)

    def calls(self, outcome="ok"):
        """The resources that its hooks were asked about, by kind and name."""
        lines = [json.loads(line) for line in self._log.getvalue().splitlines()]
        return {(line.get("kind"), line.get("name")) for line in lines if line.get("outcome") == outcome}

    def _application(self, clock):
        return create_app(
            self.settings, clock=clock.now, tokens=Tokens(self.tokens), log=open_log(self._log), randomness=bytes
        ).wsgi_app
