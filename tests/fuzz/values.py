"""What the fuzzer puts in place of a value: odd ones of every type, and text that is hostile where it ends.

A JSON text can say more than JSON in Python, so some values are spelled: a string `RAW + text` becomes the bare text
once the request is written (see `written`).
"""

import json
import re

import orjson

RAW = "\ue0f0raw:"
"""Begins a string that stands for the JSON text behind it."""

SPELLED = (
    *("1e400", "-1e400", "1e308", "1e-400", "-0", "-0.0", "1E+2", "0.1e1", "1.0000000000000000000000000000001"),
    *("9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1" + "0" * 400),
    *("NaN", "Infinity", "01", "1.", "+1", "0x10", "'a'", '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\x"', "tru"),
    *('{"a": 1, "a": 2}', '{"": 0, "": {}}', '{"name": "a", "name": "b"}', "[,]", "{}{}", "//", '"\t"', '"\n"'),
    *("[" * 190 + "]" * 190, "[" * 260 + "]" * 260, '{"a":' * 1200 + "1" + "}" * 1200, "[" * 100_000),
)
"""JSON texts, and texts that are none, which no Python value is written as."""

QUANTITIES = (
    *("0", "1", "-1", "+1", "0.5", ".5", "1.", "1e3", "1E3", "1e+03", "1e-3", "500m", "1500m", "0.1m", "1n", "1u"),
    *("1Ki", "1024Mi", "0.5Gi", "1.5Gi", "8Gi ", " 8Gi", "8 Gi", "8gi", "8GiB", "8G", "8E", "9Ei", "16Ei", "1e", "1Ee"),
    *("1e400", "1e-400", "1e99999", "-1e400Gi", "1e9999999999", "9" * 400, "0." + "0" * 400 + "1", "1" + "0" * 40),
    *("nan", "inf", "-inf", "0x10", "1_000", "\u0661\u0662", "\uff11", "1e\uff11", "--1", "1,5"),
)
SHELL = (
    *("$(touch x)", "`touch x`", "; touch x", "'; touch x; '", '"; touch x; "', "\ntouch x\n", "&& touch x", "| cat"),
    *("${IFS}", "$IFS", "$HOME", "$$", "$", "$(", "$()", "$(A)", "$$(A)", "\\", "\\\n", "'", '"', "it's", "<(x)", "~"),
    *("*", "?", "[a]", "{a,b}", "!x", "# x", ">x", "-x", "--", "--x=y", "-m", "<<END\nx\nEND", "a\\'b", "$'\\x41'"),
    *("if", "then", "done", "}", "{", "( (", "$((1/0))", "case x in", "'unclosed", '"unclosed', "`unclosed"),
    *("python3 -m dynamo.vllm", "python3 -m dynamo.sglang -x", "python3 -m dynamo.trtllm", "exec", "sh -c 'x'"),
    *("python3 -m dynamo.vllm --tensor-parallel-size 99999999999999999999", "-tp=-1 -tp=x -pp=", "bash -c"),
)
LABELS = (
    *("", "a", "-", "-a", "a-", ".a", "a.", "_a", "a_b", "a b", "A", "A-b", "a/b", "a//b", "/", "a/", "/a", "a/b/c"),
    *(
        "x" * 63,
        "x" * 64,
        "x" * 253,
        "x" * 254,
        "x." * 126 + "x",
        ".".join(["a" * 63] * 4),
        "é",
        "\uff41",
        "a\n",
        "a\n\n",
    ),
    *(
        "controller-uid",
        "nvidia.com/selector",
        "nvidia.com/dynamo-component",
        "role",
        "name",
        "nvidia.com/desired-hash",
    ),
    *("metacontroller.k8s.io/last-applied-configuration", "kubernetes.io/hostname", "-.a/b", "a..b/c", "__proto__"),
    *("0", "1a", "true", "null", "main", "shared-memory", "default", "kube-system", "localhost", "*", "*.a", "a-lws"),
)
LINKS = (
    *("http://x", "http://", "http://a:b@c/d?e#f", "http://[::1]:9090/x", "javascript:x", "file:///etc/passwd", "//x"),
    *("nvcr.io/nvidia/x:1", "a:b:c", "http://x/y:z", "@", "x@sha256:" + "0" * 64, "localhost:5000/x", "[::1]", "[::"),
    *("10.0.0.1", "10.0.0.256", "::1", "fe80::1%eth0", "010.0.0.1", "0", "hf://a/b", "s3://a", "s3://a/../b", "../x"),
    *("/", "//", "/dev/shm", "/dev/shm/", "/dev/../dev/shm", "/a:b", "/data/../etc", "/data/x", "x/..", ".", ".."),
)
TEXTS = (
    *("\0", "a\0b", "\r\n", "\t", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u202e gnp.exe", "\u200b", "\ufeff", "\ufffd"),
    *("e\u0301" * 40, "Z\u0351\u036b\u0343" * 20, "🚀", "👨\u200d👩", "模型", "ß", "\u0130", "\ufb00", "\u2126"),
    *("\U0010ffff", "yes", "no", "~", "0o17", "1:30", "2026-11-30", "2026-11-30T12:00:00Z", "9999-99-99T99:99Z", "- a"),
    *('{"a": ', "[" * 300, '{"Worker": {"ServiceArgs": {"workers": -1}}}', "a: &a [*a]", "!!python/object:os.system x"),
    *("&a [&b [&c []], *b, *c]", "%", "%s", "{0}", "{x.__class__}", "\ue000", "\ue0f0", "a" * 4096, "é" * 3000),
)
NUMBERS = (
    *(0, 1, 2, -1, 7, 80, 443, 8000, 9090, 65535, 65536, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, -(2**63)),
    *(0.5, -0.5, 1.0, 500.0, 1e-9, 1e15, 1e16, 1e22, 1e300, 2.5e-308, 10**19),
)
SCALARS = (None, True, False, "")
CONTAINERS = (
    *({}, [], [None], [[]], [{}], [""], [0], {"": None}, {"a": {}}, {"name": None}, {"name": ""}, {"name": "x"}),
    *([{"name": "x"}, {"name": "x"}], [{"name": "x"}, {"name": "X"}], {"name": "A", "value": "$(A)"}, {"value": "x"}),
    *({"exec": {}}, {"httpGet": {"port": "http"}}, {"limits": {"cpu": "1e400"}}, {"items": "x"}, {"sources": [{}, 1]}),
    *({"matchLabels": {}}, {"matchExpressions": [1]}, {"secretKeyRef": {}}, {"valueFrom": {"fieldRef": None}}),
)
FAMILIES = (QUANTITIES, SHELL, LABELS, LINKS, TEXTS)


def hostile_text(random):
    """Text that is hostile somewhere, perhaps in a mixture or beside something harmless."""
    text = random.choice(random.choice(FAMILIES))
    if random.random() < 0.2:
        text += random.choice(random.choice(FAMILIES))
    return random.choice((text, text, f"a{text}", f"{text}b", f"x {text} y"))


def odd_value(random):
    """A value of any type."""
    return RAW + random.choice(SPELLED) if random.random() < 0.04 else _plain_value(random)


def _plain_value(random):
    chance = random.random()
    if chance < 0.45:
        return hostile_text(random)
    if chance < 0.62:
        return random.choice(NUMBERS)
    if chance < 0.78:
        return random.choice(SCALARS)
    return orjson.loads(orjson.dumps(random.choice(CONTAINERS)))


def huge_value(random):
    """A value of a size that nobody has."""
    size = random.choice((70, 300, 1_000, 5_000))
    which = random.randrange(6)
    if which == 0:
        return random.choice(("x", "é", "$(A)", "a-", "'", "\n", "1", "a ", "\\", "$$", "a.", "&&a ")) * (size * 20)
    if which == 1:
        return [_plain_value(random)] * size
    if which == 2:
        return {f"key-{number}": number for number in range(size)}
    if which == 3:
        return [{"name": f"a{number}", "value": f"$(a{number - 1})$(a{number - 1})"} for number in range(size)]
    if which == 4:
        return [{"name": f"a{number}"} for number in range(size)]
    return nested({}, random.choice((20, 60, 100, 120, 180)), random.choice(("a", "name", None)))


def nested(value, levels, key):
    """A value inside so many objects, or lists where there is no key."""
    for _ in range(levels):
        value = [value] if key is None else {key: value}
    return value


def written(value):
    """The bytes of a request; what is spelled stands there as it is spelled."""
    try:
        text = orjson.dumps(value)
    except TypeError:  # a number beyond 64 bits, half a surrogate pair, or deeper than orjson goes
        text = json.dumps(value).encode()
    return _SPELLED.sub(lambda found: json.loads(found[0])[len(RAW) :].encode(), text)


_SPELLED = re.compile(
    b'"(?:' + RAW.encode() + b"|" + re.escape(json.dumps(RAW)[1:-1].encode()) + rb')(?:[^"\\]|\\.)*"', re.DOTALL
)
"""A string of JSON that begins with RAW, in either of the ways in which it is written."""
