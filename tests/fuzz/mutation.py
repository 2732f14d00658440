"""How a valid request becomes an odd one. Everything is decided by the random numbers that are handed in."""

import copy
from dataclasses import dataclass

import orjson

from tests.fuzz.corpus import Base, bases
from tests.fuzz.values import RAW, hostile_text, huge_value, nested, odd_value, written

REGIONS = (
    *(("spec",) for _ in range(12)),
    *(("metadata",), ("status",), ("children",), ("related",), ("controller",), ()),
)
"""Where in a request something is changed: in its parent's spec most of the time, in all of it now and then."""
_MOST = 5
"""Changes of one request, at most; fewer are likelier."""


@dataclass(frozen=True)
class Request:
    """A request as the fuzzer sends it."""

    base: Base
    hook: str
    body: object
    cut: float | None = None
    """How much of its bytes is sent, where it is not all."""

    @property
    def path(self):
        return f"/{self.base.route}/{self.hook}"

    @property
    def data(self):
        data = written(self.body)
        return data if self.cut is None else data[: int(len(data) * self.cut)]


def request_of(random):
    """An odd request."""
    base = random.choice(bases())
    hook = random.choice(("sync",) * 8 + base.hooks)
    body = base.body()
    if hook == "customize":
        body = {"parent": body[base.parts[0]], "controller": body.get("controller")}
    root = {"it": body}
    for _ in range(1 + min(int(random.expovariate(0.8)), _MOST - 1)):
        mutate(random, root, base)
    cut = random.random() if random.random() < 0.003 else None
    return Request(base, hook, root["it"], cut)


def mutate(random, root, base):
    """One change, somewhere."""
    container, key = place_in(random, root, base)
    random.choice(MUTATIONS)(random, container, key, root)


def place_in(random, root, base):
    """A container and a key in it, in one of the regions of a request."""
    parent_key, children_key = base.parts
    region = random.choice(REGIONS)
    path = ["it"]
    if region:
        inside = {"children": [children_key], "related": ["related"], "controller": ["controller"]}
        path += inside.get(region[0], [parent_key, *region])
    container, key = root, path[0]
    for step in path[1:]:
        below = container[key]
        if not isinstance(below, dict) or step not in below:
            break
        container, key = below, step
    stop = random.choice((0.05, 0.15, 0.4))
    while isinstance(container[key], dict | list) and container[key] and random.random() > stop:
        container = container[key]
        key = _any_key(random, container)
    return container, key


def _any_key(random, container):
    return random.choice(list(container)) if isinstance(container, dict) else random.randrange(len(container))


def _replace(random, container, key, root):
    container[key] = odd_value(random)


def _make_hostile(random, container, key, root):
    container[key] = hostile_text(random)


def _make_huge(random, container, key, root):
    container[key] = huge_value(random)


def _drop(random, container, key, root):
    if container is not root:
        del container[key]


def _repeat(random, container, key, root):
    value = copy.deepcopy(container[key])
    if isinstance(container, list):
        container.insert(random.randrange(len(container) + 1), value)
    elif container is not root:
        container[_other_key(random, key)] = value


def _rename(random, container, key, root):
    if isinstance(container, dict) and container is not root:
        container[_other_key(random, key)] = container.pop(key)


def _other_key(random, key):
    variants = (key.upper(), key.lower(), key.replace("-", "."), key.replace("-", "_"), f"{key}2", f"{key} ", key[:-1])
    return random.choice((*variants, hostile_text(random), _known_key(random)))


def _add(random, container, key, root):
    value = container[key]
    if isinstance(value, dict):
        value[_known_key(random)] = random.choice((odd_value, _spliced))(random)
    elif isinstance(value, list):
        value.insert(random.randrange(len(value) + 1), random.choice((odd_value, _spliced))(random))
    else:
        container[key] = [value]


def _known_key(random):
    """The key of something in another request."""
    key = _somewhere(random)[1]
    return key if isinstance(key, str) else "name"


def _spliced(random):
    container, key = _somewhere(random)
    return container[key]


def _somewhere(random):
    """A place in another request."""
    other = random.choice(bases())
    return place_in(random, {"it": other.body()}, other)


def _splice(random, container, key, root):
    container[key] = _spliced(random)


def _splice_alike(random, container, key, root):
    """What another request has in a place of the same name."""
    for _ in range(4):
        other, found = _somewhere(random)
        if found == key:
            container[key] = other[found]
            return
        if isinstance(other[found], dict) and key in other[found]:
            container[key] = other[found][key]
            return


def _move(random, container, key, root):
    """To another place of the request, whose value comes here."""
    place = root["it"]
    if not isinstance(place, dict | list) or not place:
        return
    there, step = place, _any_key(random, place)
    while isinstance(there[step], dict | list) and there[step] and random.random() > 0.2:
        there = there[step]
        step = _any_key(random, there)
    mine, other = copy.deepcopy(container[key]), copy.deepcopy(there[step])
    container[key] = other
    there[step] = mine


def _swap_type(random, container, key, root):
    value = container[key]
    if isinstance(value, str) and value.startswith(RAW):
        return
    container[key] = random.choice(_OTHER_TYPES[type(value)])(value)


_OTHER_TYPES = {
    str: (lambda text: [text], lambda text: {"name": text}, lambda text: {text: text}, list, len, lambda text: None),
    int: (str, float, lambda number: [number], lambda number: number + 1, lambda number: -number, bool),
    float: (str, int, lambda number: [number], lambda number: number * 1e300 if abs(number) < 1e5 else 0.0),
    bool: (int, lambda value: str(value).lower(), lambda value: not value, lambda value: [value]),
    type(None): (lambda value: "null", lambda value: [value], lambda value: {}, lambda value: 0),
    list: (
        lambda items: {str(index): item for index, item in enumerate(items)},
        lambda items: items[::-1],
        lambda items: items[0] if items else "",
        lambda items: items * 2,
        lambda items: [items],
    ),
    dict: (
        lambda entries: [{"name": key, "value": value} for key, value in entries.items()],
        lambda entries: list(entries.values()),
        lambda entries: next(iter(entries.values()), ""),
        lambda entries: orjson.dumps(entries, default=str).decode() if len(entries) < 50 else "",
        lambda entries: dict(reversed(entries.items())),
    ),
}


def _edit_text(random, container, key, root):
    value = container[key]
    if not isinstance(value, str) or value.startswith(RAW):
        container[key] = hostile_text(random)
        return
    at = random.randrange(len(value) + 1)
    inserted = random.choice(("", hostile_text(random), hostile_text(random)))
    container[key] = value[:at] + inserted + value[at + random.randrange(3) :]


def _nest(random, container, key, root):
    levels = random.choice((1, 2, 10, 50, 100, 170))
    container[key] = nested(container[key], levels, random.choice(("a", "spec", None)))


def _delete_parent(random, container, key, root):
    """Begin the deletion of something."""
    place = root["it"]
    for step in ("parent", "object"):
        if isinstance(place, dict) and isinstance(place.get(step), dict):
            metadata = place[step].get("metadata")
            if isinstance(metadata, dict):
                metadata["deletionTimestamp"] = random.choice(("2026-11-30T11:59:00Z", None, 1, "x"))


MUTATIONS = (
    *(_replace, _replace, _make_hostile, _make_hostile, _edit_text, _edit_text, _drop, _drop, _repeat, _rename),
    *(_add, _add, _splice, _splice_alike, _splice_alike, _move, _swap_type, _swap_type, _make_huge, _nest),
    _delete_parent,
)
