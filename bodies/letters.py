# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides by letters: of other languages, as in "bras.G" and "bras.D", and of four legs, as in "FL_foot".

One letter may mean anything, so many names have to differ in it alone, and be two each. Of two letters there
have to be four.
"""

from collections import Counter
from collections.abc import Sequence

from .vocabulary import tokens
from .words import side_of

# French, Portuguese, Spanish, Italian, Russian: of left and right.
_LETTERS = (("g", "d"), ("e", "d"), ("i", "d"), ("s", "d"), ("л", "п"))
_FEWEST = 3  # pairs
# Of front and hind legs, those on the left and on the right: front, left fore, rear, back and hind, as read.
_CORNERS = (
    *(("fl", "fr", *hind) for hind in (("rl", "rr"), ("bl", "br"), ("hl", "hr"))),
    *(("lf", "rf", *hind) for hind in (("lh", "rh"), ("lr", "rr"), ("lb", "rb"))),
)
_PLACES = ("front left", "front right", "hind left", "hind right")
_FEWEST_OF_FOUR = 2
_Around = tuple[tuple[str, ...], tuple[str, ...]]


def with_sides(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with words for such letters, where they pair more of them than what is known does."""
    names = _with_places(names)
    told = Counter(side for name in names if (side := side_of(name)))
    pairs = max((_pairs(names, *both) for both in _LETTERS), key=len)
    if len(pairs) <= max(_FEWEST - 1, min(told["L"], told["R"])):
        return tuple(names)
    spelt = dict(enumerate(names))
    for (head, tail), places in pairs:
        for side, place in zip(("left", "right"), places, strict=True):
            spelt[place] = " ".join((*head, side, *tail))
    return tuple(spelt[place] for place in range(len(names)))


def _with_places(names: Sequence[str]) -> Sequence[str]:
    """Return the names with words for the two letters that tell which of four legs it is."""
    alike = _alike(names, 2)
    most = max((_legs(alike, corners) for corners in _CORNERS), key=len)
    if len(most) < _FEWEST_OF_FOUR:
        return names
    spelt = dict(enumerate(names))
    for (head, tail), places in most:
        for said, place in zip(_PLACES, places, strict=True):
            spelt[place] = " ".join((*head, said, *tail))
    return [spelt[place] for place in range(len(names))]


def _legs(alike: dict[_Around, dict[str, int]], corners: Sequence[str]) -> list[tuple[_Around, list[int]]]:
    """Return what stands before and behind the letters of four names, and these names' places."""
    four = {around: by_letters for around, by_letters in alike.items() if by_letters.keys() >= set(corners)}
    return [(around, [by_letters[corner] for corner in corners]) for around, by_letters in four.items()]


def _pairs(names: Sequence[str], left: str, right: str) -> list[tuple[_Around, tuple[int, int]]]:
    """Return what stands before and behind the letter of two names, and the two, the left one first."""
    alike = _alike(names, 1).items()
    two = {around: by_letter for around, by_letter in alike if by_letter.keys() == {left, right}}
    return [(around, (by_letter[left], by_letter[right])) for around, by_letter in two.items()]


def _alike(names: Sequence[str], count: int) -> dict[_Around, dict[str, int]]:
    """Return what stands before and behind words of so many letters, and by these the place of the name."""
    found: dict[_Around, dict[str, int]] = {}
    for place, name in enumerate(names):
        words = tokens(name)
        for at, word in enumerate(words):
            if len(word) == count and word.isalpha():
                found.setdefault((words[:at], words[at + 1 :]), {})[word] = place
    return found
