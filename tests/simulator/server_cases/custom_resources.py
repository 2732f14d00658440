"""Custom resources of a definition that has a bit of everything."""

from objects import ABSENT, NAMESPACE, merged

_CONDITION = {
    "type": "object",
    "required": ["type", "status"],
    "properties": {"type": {"type": "string"}, "status": {"type": "string", "enum": ["True", "False"]}},
}
_PORT = {
    "type": "object",
    "required": ["port"],
    "properties": {
        "port": {"type": "integer"},
        "protocol": {"type": "string", "default": "TCP"},
        "name": {
            "type": "string",
            "maxLength": 15,
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "a port keeps its name"}],
        },
    },
}
_SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "amount": {"type": "integer"},
        "size": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 100},
        "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
        "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
        "ratio": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "flag": {"type": "boolean"},
        "nullable": {"type": "string", "nullable": True, "default": "x"},
        "plain": {"type": "string"},
        "default": {"type": "string", "default": "y"},
        "quantity": {
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "pattern": "^[0-9]+(Gi|Mi)?$",
        },
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set", "maxItems": 3},
        "ports": {
            "type": "array",
            "items": _PORT,
            "maxItems": 5,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "protocol"],
        },
        "items": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 1}},
            },
        },
        "labels": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "string"}},
        "typed": {
            "type": "object",
            "maxProperties": 3,
            "additionalProperties": {
                "type": "object",
                "properties": {"a": {"type": "integer", "default": 7}},
                "x-kubernetes-validations": [{"rule": "self.a != 13", "message": "not 13", "fieldPath": ".a"}],
            },
        },
        "free": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": {"type": "object", "properties": {"a": {"type": "string"}}}},
        },
        "embedded": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "nested": {
            "type": "object",
            "default": {},
            "properties": {"deep": {"type": "integer", "default": 5}},
        },
        "unset": {"type": "object", "properties": {"deep": {"type": "integer", "default": 5}}},
        "either": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        "few": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
        "never": {"type": "string", "not": {"enum": ["x"]}},
        "time": {"type": "string", "format": "date-time"},
        "bytes": {"type": "string", "format": "byte"},
        "long": {"type": "integer", "format": "int64"},
    },
    "x-kubernetes-validations": [
        {"rule": "self.size < 50 || has(self.name)", "message": "name is needed from 50 on", "fieldPath": ".name"},
        {
            "rule": "!has(self.flag) || self.flag == oldSelf.flag",
            "message": "flag cannot change",
            "reason": "FieldValueForbidden",
        },
        {"rule": "!has(self.plain) || self.plain != 'bad'", "messageExpression": "'plain is ' + self.plain"},
        {"rule": "!has(self.plain) || self.plain != 'worse'"},
        {
            "rule": "!has(self.tags) || self.tags.all(tag, tag.startsWith('t'))",
            "message": "tags begin with t",
            "reason": "FieldValueInvalid",
            "fieldPath": ".tags",
        },
        {
            "rule": "!has(self.labels) || !('fixed' in self.labels) || self.labels['fixed'] == 'yes'",
            "message": "fixed: yes",
        },
        {"rule": "!has(self.quantity) || string(self.quantity) != '13'", "message": "an unlucky quantity"},
    ],
}
_STATUS = {
    "type": "object",
    "properties": {
        "ready": {"type": "boolean"},
        "count": {"type": "integer", "minimum": 0},
        "selector": {"type": "string"},
        "observedGeneration": {"type": "integer"},
        "conditions": {
            "type": "array",
            "items": _CONDITION,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
        },
    },
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.recorded.example.com"},
    "spec": {
        "group": "recorded.example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.amount",
                        "statusReplicasPath": ".status.count",
                        "labelSelectorPath": ".status.selector",
                    },
                },
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {
                            "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
                            "spec": _SPEC,
                            "status": _STATUS,
                        },
                        "x-kubernetes-validations": [
                            {
                                "rule": "self.metadata.name.size() <= 20",
                                "message": "name too long",
                                "fieldPath": ".metadata.name",
                            }
                        ],
                    }
                },
            }
        ],
    },
}


def widget(called="x", **spec):
    made = {
        "apiVersion": "recorded.example.com/v1",
        "kind": "Widget",
        "metadata": {"name": called, "namespace": NAMESPACE},
    }
    return made | {"spec": merged({"size": 1}, spec)}


CREATED = {
    "custom: defaults": widget(),
    "custom: defaults below what is given": widget(unset={}, typed={"t": {}}, items=[{}], ports=[{"port": 1}]),
    "custom: unknown fields are dropped": widget(nobody=1, nested={"knows": 1}, ports=[{"port": 1, "this": 2}])
    | {"x": 1},
    "custom: unknown fields that are kept": widget(free={"a": [{"b": None}], "known": {"a": "x", "dropped": 1}}),
    "custom: an embedded object": widget(
        embedded={
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "creationTimestamp": None, "what": 1},
            "spec": {"a": 1},
        }
    ),
    "custom: nulls": widget(plain=None, default=None, nullable=None, color=None, nested=None, tags=None, flag=None),
    "custom: nulls deeper": widget(
        unset={"deep": None}, items=[{"a": None, "b": None}], ports=[{"port": 1, "protocol": None}]
    ),
    "custom: empty values stay": widget(plain="", labels={}, tags=[], ports=[], flag=False, unset={}, size=0),
    "custom: a status is dropped": widget() | {"status": {"ready": True, "count": -1}},
    "custom: a whole number with a point": widget(long=2.0),
    "custom: a whole number as a number": widget(ratio=1),
    "custom: integer or string": widget(quantity=5),
    "custom: string or integer": widget(quantity="5Gi"),
    "custom: one port, two protocols": widget(ports=[{"port": 53}, {"port": 53, "protocol": "UDP"}]),
    "custom: a time": widget(time="2026-01-01T00:00:00Z"),
    "custom: a nameless rule is content": widget(size=60, name="abc"),
    "custom: metadata that is empty": widget()
    | {"metadata": {"name": "x", "namespace": NAMESPACE, "labels": {}, "a": 1}},
    "custom: null in a map": widget(free={"known": None}),
    "custom: null in a map of strings": widget(labels={"a": None}),
    "custom: replicas that are null": widget(amount=None),
    "custom: unknown fields in no order": widget(zero=1, nested={"one": 1, "knows": 2}, another=1) | {"y": 1, "x": 1},
    "custom: an embedded object with a bad name": widget(
        embedded={"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "A B"}}
    ),
}

REFUSED = {
    "custom: no spec": widget() | {"spec": None},
    "custom: spec missing": {key: value for key, value in widget().items() if key != "spec"},
    "custom: spec that is a list": widget() | {"spec": []},
    "custom: spec that is a string": widget() | {"spec": "x"},
    "custom: a required field missing": widget(size=ABSENT),
    "custom: a required field null": widget(size=None),
    "custom: a string for a number": widget(size="1"),
    "custom: a number for a string": widget(plain=1),
    "custom: a string for a flag": widget(flag="true"),
    "custom: an object for a string": widget(plain={"a": 1}),
    "custom: a string for a list": widget(tags="x"),
    "custom: a list for an object": widget(nested=[1]),
    "custom: too small": widget(size=-1),
    "custom: too large": widget(size=101),
    "custom: beyond 32 bits": widget(size=3000000000),
    "custom: beyond 64 bits": widget(long=2**63),
    "custom: not above": widget(ratio=0),
    "custom: none of those": widget(color="blue"),
    "custom: too short": widget(name="a"),
    "custom: too long": widget(name="abcdefg"),
    "custom: against the pattern": widget(name="A1"),
    "custom: several faults": widget(size=-1, color="blue", tags=["t", "t"]),
    "custom: an entry twice": widget(tags=["t", "t"]),
    "custom: a key twice": widget(ports=[{"port": 1, "protocol": "TCP"}, {"port": 1}]),
    "custom: a key missing": widget(ports=[{"name": "a"}]),
    "custom: too many entries": widget(tags=["t1", "t2", "t3", "t4"]),
    "custom: too few entries": widget(items=[]),
    "custom: too many properties": widget(labels={"a": "1", "b": "2", "c": "3"}),
    "custom: a number in a map of strings": widget(labels={"a": 1}),
    "custom: null in a list": widget(tags=["t", None]),
    "custom: a wrong entry of a list": widget(tags=["t", 1]),
    "custom: deep inside a map": widget(typed={"t": {"a": "x"}}),
    "custom: both of two": widget(either={"a": "1", "b": "2"}),
    "custom: an integer or string against its pattern": widget(quantity="lots"),
    "custom: no time": widget(time="yesterday"),
    "custom: no bytes": widget(bytes="?"),
    "custom: an embedded object without kind": widget(embedded={"apiVersion": "v1"}),
    "custom: too few properties": widget(few={}),
    "custom: not that": widget(never="x"),
    "custom: against a rule": widget(size=60),
    "custom: against a rule with its own message": widget(plain="bad"),
    "custom: against a rule without a message": widget(plain="worse"),
    "custom: against a rule about a list": widget(tags=["x"]),
    "custom: against a rule about a map": widget(labels={"fixed": "no"}),
    "custom: against a rule about a quantity": widget(quantity=13),
    "custom: against a rule below a map": widget(typed={"a.b/c": {"a": 13}}),
    "custom: an entry of a list with keys that is no object": widget(ports=[1]),
    "custom: fewer replicas than none": widget(amount=-1),
    "custom: more replicas than can be counted": widget(amount=2**31),
    "custom: replicas that are a text": widget(amount="2"),
    "custom: replicas that are a fraction": widget(amount=2.5),
    "custom: a fraction for 32 bits": widget(size=2.5),
    "custom: a fraction for 64 bits": widget(long=2.5),
    "custom: a fraction for a text": widget(plain=2.5),
    "custom: replicas that are true": widget(amount=True),
    "custom: replicas that are a list": widget(amount=[1, "a"]),
    "custom: replicas that are an object": widget(amount={"b": "x", "a": [True, 1.5]}),
    "custom: a name against a rule": widget("a-name-that-is-too-long"),
    "custom: a name in capitals": widget("X"),
    "custom: labels that are numbers": widget()
    | {"metadata": {"name": "x", "namespace": NAMESPACE, "labels": {"a": 1}}},
    "custom: a label of spaces": widget() | {"metadata": {"name": "x", "namespace": NAMESPACE, "labels": {"a": "b c"}}},
    "custom: annotations too large": widget()
    | {"metadata": {"name": "x", "namespace": NAMESPACE, "annotations": {"a": "x" * 262145}}},
}

UPDATED = {
    "custom: a field": (widget(), {"spec": {"size": 2}}),
    "custom: a label": (widget(), {"metadata": {"labels": {"a": "b"}}}),
    "custom: nothing": (widget(), {}),
    "custom: without a version": (widget(), {"metadata": {"resourceVersion": ABSENT}}),
    "custom: against a rule about the old": (widget(flag=True), {"spec": {"flag": False}}),
    "custom: a rule about the old does not apply to what is new": (widget(), {"spec": {"flag": False}}),
    "custom: a port's name": (
        widget(ports=[{"port": 1, "name": "a"}, {"port": 2, "name": "b"}]),
        {"spec": {"ports": [{"port": 2, "protocol": "TCP", "name": "c"}, {"port": 1, "protocol": "TCP", "name": "a"}]}},
    ),
    "custom: other ports": (widget(ports=[{"port": 1, "name": "a"}]), {"spec": {"ports": [{"port": 2, "name": "b"}]}}),
    "custom: status through the front door": (widget(), {"status": {"ready": True}}),
}

STATUS = {
    "custom status": (widget(), {"status": {"ready": True, "conditions": [{"type": "A", "status": "True"}]}}),
    "custom status: unknown fields": (widget(), {"status": {"ready": True, "surplus": 1}}),
    "custom status: nulls": (widget(), {"status": {"ready": None, "count": 1}}),
    "custom status: spec and metadata stay": (
        widget(),
        {"spec": {"size": 3}, "metadata": {"labels": {"a": "b"}}, "status": {"count": 1}},
    ),
    "custom status: replicas that are a text": (widget(), {"status": {"count": "2"}}),
    "custom status: a selector that is a number": (widget(), {"status": {"selector": 2}}),
    "custom status: too small": (widget(), {"status": {"count": -1}}),
    "custom status: a wrong type": (widget(), {"status": {"ready": "yes"}}),
    "custom status: a required field missing": (widget(), {"status": {"conditions": [{"type": "A"}]}}),
    "custom status: an unknown value": (widget(), {"status": {"conditions": [{"type": "A", "status": "Maybe"}]}}),
    "custom status: a key twice": (
        widget(),
        {"status": {"conditions": [{"type": "A", "status": "True"}, {"type": "A", "status": "False"}]}},
    ),
    "custom status: that is a list": (widget(), {"status": []}),
    "custom status: a spec that would be refused does not matter": (
        widget(),
        {"spec": {"size": 300}, "status": {"count": 1}},
    ),
}
