# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones of a human rig are which joint, by their names and how they hang together.

Names tell the part: Rigify's metarigs, Mixamo, game engines, DAZ, MakeHuman and the usual motion-capture
files. Whose child a bone is tells the rest: which phalanx of a finger, which part of the spine, and whether a
"shoulder" is a collarbone or an upper arm.
"""

import re
from collections.abc import Iterator, Mapping

Parents = Mapping[str, str | None]

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}
_NOISE = {"def", "org", "bip", "bone", "jnt", "skeleton", "mixamorig", "f"}
_OTHERS = set(
    "twist roll end nub leaf site ik fk pole target ctrl control helper heel breast eye ear jaw tongue lip "
    "brow palm metacarpal tweak mch wgt vis master parent".split()
)
_WORDS = {
    "HEAD": "head",
    "NECK": "neck lowerneck upperneck",
    "SPINE": "spine chest upperchest abdomen torso lowerback back waist",
    "CLAVICLE": "clavicle collar collarbone clav",
    "SHOULDER_OR_CLAVICLE": "shoulder shldr",
    "SHOULDER": "upperarm uparm arm humerus",
    "ELBOW": "forearm lowerarm loarm elbow",
    "WRIST": "hand wrist",
    "HIP": "thigh upleg upperleg femur",
    "KNEE": "shin calf lowerleg loleg leg knee tibia",
    "ANKLE": "foot ankle",
    "TOES": "toe toes toebase ball",
    "THUMB": "thumb handthumb",
    "FINGER": "index middle mid ring pinky little finger fingers fingerbase "
    "handindex handmiddle handring handpinky handlittle",
}
_PART_OF = {word: part for part, words in _WORDS.items() for word in words.split()}
_PHALANGES = ("BASE", "MIDDLE", "TIP")
_LUMBAR_SHARE = 0.4  # of the trunk's bones: five vertebrae of seventeen, but the largest


def side_of(name: str) -> str:
    """Return "L" or "R", or nothing for a bone in the middle."""
    return next((_SIDES[token] for token in _tokens(name) if token in _SIDES), "")


def finger_of(name: str) -> int:
    """Return which finger a bone belongs to, 1 the index, 4 the little one; 0 if its name does not tell."""
    words = "".join(token for token in _tokens(name) if token.isalpha() and token not in _SIDES)
    ends = (("index",), ("middle", "mid"), ("ring",), ("pinky", "little"))
    named = (rank for rank, keys in enumerate(ends, 1) if words.endswith(keys))
    numbers = _numbers(name)
    return next(named, numbers[0] - 1 if "finger" in words and len(numbers) == 2 else 0)


def recognise(parents: Parents) -> dict[str, str]:
    """Return the joint, a key of HUMAN_JOINTS, of every bone that is recognised.

    ``parents``: the parent of each bone, in which parents come before their children.
    """
    parts = {name: part for name in parents if (part := _part(name))}
    _tell_shoulders(parts, parents)
    _tell_spine(parts, parents)
    joints = {}
    for name, part in parts.items():
        if part in {"THUMB", "FINGER"}:
            place = _place_in_chain(name, parts, parents)
            if place < len(_PHALANGES):
                joints[name] = f"{part}_{_PHALANGES[place]}"
        elif part in {"NECK", "THORACIC", "LUMBAR"} or not _place_in_chain(name, parts, parents):
            joints[name] = part
    return joints


def _tokens(name: str) -> list[str]:
    return [token.lower() for token in _TOKEN.findall(name.rpartition(":")[2])]


def _numbers(name: str) -> list[int]:
    return [int(token) for token in _tokens(name) if token.isdigit()]


def _part(name: str) -> str:
    """Return the part of the body that the name alone tells."""
    tokens = [token for token in _tokens(name) if token.isalpha()]
    if _OTHERS & set(tokens):
        return ""
    word = "".join(token for token in tokens if token not in _SIDES and token not in _NOISE)
    if word == "hip" and side_of(name):
        return "HIP"
    if word == "finger" and len(_numbers(name)) == 2 and _numbers(name)[0] == 1:
        return "THUMB"
    return _PART_OF.get(word, "")


def _tell_shoulders(parts: dict[str, str], parents: Parents) -> None:
    """A shoulder that carries an upper arm is a collarbone."""
    carriers = _carriers(parts, parents, {"SHOULDER"})
    for name, part in parts.items():
        if part == "SHOULDER_OR_CLAVICLE":
            parts[name] = "CLAVICLE" if name in carriers else "SHOULDER"


def _tell_spine(parts: dict[str, str], parents: Parents) -> None:
    """Below the arms it is trunk, above them neck and head; what carries the legs is the pelvis."""
    legs, arms = (_carriers(parts, parents, part) for part in ({"HIP"}, {"CLAVICLE", "SHOULDER"}))
    spine = [name for name in parts if parts[name] == "SPINE"]
    above = [name for name in spine if arms and name not in arms and _has_ancestor(name, arms, parents)]
    trunk = [name for name in spine if name not in above and name not in legs]
    for name in spine:
        parts[name] = "NECK" if name in above else ""
    if above and "HEAD" not in parts.values():
        parts[above[-1]] = "HEAD"
    lumbar = max(1, round(_LUMBAR_SHARE * len(trunk)))
    for place, name in enumerate(trunk):
        parts[name] = "TRUNK" if len(trunk) == 1 else "LUMBAR" if place < lumbar else "THORACIC"
    for name in [name for name in parts if not parts[name]]:
        del parts[name]


def _carriers(parts: dict[str, str], parents: Parents, carried: set[str]) -> set[str]:
    """Return all bones that bones of certain parts hang on."""
    return {above for name, part in parts.items() if part in carried for above in _ancestors(name, parents)}


def _has_ancestor(name: str, among: set[str], parents: Parents) -> bool:
    return any(above in among for above in _ancestors(name, parents))


def _ancestors(name: str, parents: Parents) -> Iterator[str]:
    while (name := parents[name]) is not None:
        yield name


def _place_in_chain(name: str, parts: dict[str, str], parents: Parents) -> int:
    """Return how many bones of the same part the bone hangs on without another part between."""
    return sum(parts.get(above) == parts[name] for above in _ancestors(name, parents))
