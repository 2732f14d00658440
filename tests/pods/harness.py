"""Runs what a container would run: the kubelet's expansion, then the command, with stand-ins for what it calls.

A stand-in appends its name and its arguments to the file that RECORD names, each ended by a NUL.
"""

import contextlib
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hooks.pods.distribution import Node

SHELLS = {name: shutil.which(name) for name in ("dash", "bash")}
LEADER = "g-decode-lws-0.g-decode-lws.team"

_RECORD = """#!{dash}
{{ printf '%s\\0' "$#" "${{0##*/}}" "$@"; }} >>"$RECORD"
"""
_STAND_INS = {
    "ray": "exit ${RAY_CODE:-0}\n",
    "ssh": "exit ${SSH_CODE:-0}\n",
    "ssh-keygen": "",
    "sshd": "",
    "setup": "",
    "mpirun": 'while [ "$1" != bash ]; do shift; done\nexec "$@"\n',
    "trtllm-llmapi-launch": 'exec "$@"\n',
}
_WRAPPERS = {"tini": 'shift\nexec "$@"\n', "numactl": 'shift\nexec "$@"\n'}
"""Not recorded: they pass on the words behind their first one."""


@dataclass(frozen=True)
class Call:
    """A program that was run, and the words that it was given."""

    program: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    calls: list[Call]
    code: int
    output: str

    def of(self, program):
        """The words of each call of a program."""
        return [list(call.words) for call in self.calls if call.program == program]

    def engine(self, module):
        """The words behind the module in each call of it by a Python."""
        calls = [list(call.words) for call in self.calls if call.program.startswith("python") and module in call.words]
        return [words[words.index(module) + 1 :] for words in calls]


class Container:
    """A folder with stand-ins that run under one shell, and a home."""

    def __init__(self, folder: Path, shell: str) -> None:
        self.shell = shell
        self.bin, self.home, self.keys = folder / "bin", folder / "home", folder / "ssh-pk"
        self.record = folder / "record"
        for made in (self.bin, self.home, self.keys):
            made.mkdir(parents=True)
        (self.keys / "private.key").write_text("private\n")
        (self.keys / "private.key.pub").write_text("public\n")
        for profile in (".bash_profile", ".profile"):  # a login shell forgets PATH
            (self.home / profile).write_text(f"PATH={self.bin}:$PATH\n")
        (self.bin / "sh").symlink_to(SHELLS[shell])
        recorder = _RECORD.format(dash=SHELLS["dash"])
        # What waits by a line of Python does not wait here: the leader of these tests exists nowhere.
        waiting = f'#!{SHELLS["dash"]}\ncase $1 in -c) shift 2; set -- wait-for "$@";; esac\n'
        python = waiting + recorder.partition("\n")[2]
        for name in ("python", "python3", "python3.11"):
            self._write(name, python)
        for name, then in _STAND_INS.items():
            self._write(name, recorder + then)
        for name, then in _WRAPPERS.items():
            self._write(name, f"#!{SHELLS['dash']}\n{then}")

    def _write(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, line, env=None, index=0, count=2) -> Result:
        """Runs a command line as pod `index` of a group of `count`, to its end."""
        process = self.start(line, env, index, count)
        output, _ = process.communicate(timeout=60)
        return Result(self.calls(), process.returncode, output)

    def start(self, line, env=None, index=0, count=2) -> subprocess.Popen:
        """Starts a command line as pod `index` of a group of `count`."""
        group = {"LWS_LEADER_ADDRESS": LEADER, "LWS_GROUP_SIZE": str(count), "LWS_WORKER_INDEX": str(index)}
        variables = group | (env or {})
        words = [self._here(kubelet(word, variables)) for word in line.words]
        self.record.write_bytes(b"")
        own = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), "TMPDIR": str(self.home)}
        return subprocess.Popen(
            words,
            env=variables | own | {"RECORD": str(self.record)},
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        )

    def stop(self, process):
        """Ends a process that was started, and what it started, and waits for it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)

    def calls(self):
        """What the stand-ins have recorded."""
        calls, parts = [], self.record.read_text().split("\0")[:-1]
        while parts:
            count = int(parts[0])
            calls.append(Call(parts[1], tuple(parts[2 : 2 + count])))
            parts = parts[2 + count :]
        return calls

    def _here(self, word):
        if word in ("/bin/sh", "sh"):
            return SHELLS[self.shell]
        moved = {"/usr/sbin/sshd": self.bin / "sshd", "/ssh-pk": self.keys, "/stand-ins": self.bin}
        for path, here in moved.items():
            word = word.replace(path, str(here))
        return word


def kubelet(text, variables):
    """What Kubernetes makes of a word of `command` or `args` (third_party/forked/golang/expansion)."""
    out, at = "", 0
    while at < len(text):
        if text[at] == "$" and at + 1 < len(text):
            closing = text.find(")", at + 2)
            if text[at + 1] == "$":
                out, at = out + "$", at + 2
            elif text[at + 1] == "(" and closing >= 0:
                name = text[at + 2 : closing]
                out, at = out + variables.get(name, f"$({name})"), closing + 1
            else:
                out, at = out + text[at : at + 2], at + 2
        else:
            out, at = out + text[at], at + 1
    return out


def nodes_of(count, gpus):
    """The pods of a group, in the order of LWS_WORKER_INDEX."""
    return [Node("leader" if index == 0 else "worker", count, gpus) for index in range(count)]
