# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files checked line by line, as Blender's own importer reads them.

That takes halves for wholes, a line for a frame whatever is in it, and joints whose braces do not match for
others.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from math import isfinite

Lines = Iterator[list[str]]
TURNS = ["XROTATION", "YROTATION", "ZROTATION"]


class Unreadable(Exception):
    """Why a text is no clip: what follows its file's name in a sentence."""


def check_bvh(text: str) -> None:
    """Raise Unreadable unless the text is a skeleton and as many frames of all its channels as it says."""
    lines = (words for line in text.split("\n") if (words := line.split()))
    first = next(lines, [""])
    if first[0].startswith("\ufeff"):
        raise Unreadable("begins with a byte order mark, which Blender does not read: save it as plain UTF-8")
    if first[0].upper() != "HIERARCHY":
        raise Unreadable("is no BVH file: it does not begin with HIERARCHY")
    if len(first) > 1:
        raise misplaced(first, "HIERARCHY")
    channels = channels_of(lines)
    frames, seconds = whole(header(lines, "Frames:")), number(header(lines, "Frame Time:"))
    if not (channels and frames >= 1 and seconds > 0):
        raise Unreadable(f"has no motion: {channels} channels, {frames} frames of {seconds:g} s")
    counts = [len([number(word) for word in words]) for words in lines]
    if sum(counts) != frames * channels:
        raise Unreadable(f"is cut off: {sum(counts)} numbers are no {frames} frames of {channels} channels")
    if set(counts) != {channels}:
        odd = next(count for count in counts if count != channels)
        raise Unreadable(f"has {odd} numbers in a line, where Blender reads a frame of {channels}")


def channels_of(lines: Lines) -> int:
    """Return how many channels the skeleton has; the lines after it are left. Raises Unreadable."""
    channels = depth = 0
    for words in lines:
        said = [word.upper() for word in words]
        if said[0] in ("ROOT", "JOINT"):
            channels += channels_of_joint(" ".join(words[1:]), lines)
        elif said[:2] == ["END", "SITE"]:
            check_place(lines)
        depth += (said[0] in ("ROOT", "JOINT", "END")) - (said == ["}"])
        if depth < 0 or (said == ["MOTION"] and depth):
            raise Unreadable("is damaged: its braces do not match, each on a line of its own")
        if said == ["MOTION"]:
            return channels
    raise Unreadable("is cut off: it has no MOTION")


def channels_of_joint(name: str, lines: Lines) -> int:
    """Return how many channels the joint has whose name has been read. Raises Unreadable."""
    if not name:
        raise Unreadable("has a joint without a name")
    check_place(lines)
    _, *said = expected(lines, "CHANNELS")
    channels = said[1:]
    if whole("".join(said[:1])) != len(channels):
        raise Unreadable(f"has {len(channels)} channels for joint '{name}', and says {said[0]}")
    turns = [channel.upper() for channel in channels if channel.upper().endswith("ROTATION")]
    if turns and sorted(turns) != TURNS:
        told = f"has the channels {' '.join(channels)} for joint '{name}'"
        raise Unreadable(f"{told}: Blender reads rotations about three axes, or none")
    return len(channels)


def check_place(lines: Lines) -> None:
    """Raise Unreadable unless a brace opens, and an offset follows."""
    expected(lines, "{", 1)
    for word in expected(lines, "OFFSET", 4)[1:]:
        number(word)


def header(lines: Lines, title: str) -> str:
    """Return what the next line says behind its title. Raises Unreadable."""
    return expected(lines, title, len(title.split()) + 1)[-1]


def expected(lines: Lines, title: str, count: int | None = None) -> list[str]:
    """Return the words of the next line, which begins with the title and has so many. Raises Unreadable."""
    words, own = next(lines, []), title.upper().split()
    begins = [word.upper() for word in words[: len(own)]] == own[: len(words)]
    if begins and (count is None or len(words) == count):
        return words
    if begins and len(words) < count and next(lines, None) is None:
        raise Unreadable("is cut off or damaged: it ends in its header")
    raise misplaced(words, title)


def misplaced(words: list[str], title: str) -> Unreadable:
    """Return that a line is another than Blender reads there."""
    shown = " ".join(words)
    return Unreadable(f"has the line '{shown[:40]}' where Blender reads one of '{title}'")


def number(word: str) -> float:
    """Return the finite number that the word is. Raises Unreadable."""
    return read(float, word, "a number")


def whole(word: str) -> int:
    """Return the whole number that the word is. Raises Unreadable."""
    return read(int, word, "a whole number")


def read(kind: Callable[[str], float], word: str, what: str) -> float:
    """Return the word as a finite number of the kind, ``what`` it should be. Raises Unreadable."""
    with suppress(ValueError, OverflowError):
        value = kind(word)
        if isfinite(value):
            return value
    raise Unreadable(f"is cut off or damaged: '{word}' where {what} should be")
