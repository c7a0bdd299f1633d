# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Left and right by the first letters of their words in other languages, as in "bras.G" and "bras.D".

One letter may mean anything, so many names have to differ in it alone, and be two each.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from .vocabulary import tokens
from .words import side_of

# French, Portuguese, Spanish, Italian, Russian: of left and right.
_LETTERS = (("g", "d"), ("e", "d"), ("i", "d"), ("s", "d"), ("л", "п"))
_FEWEST = 3  # pairs


def with_sides(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with words for such letters, where they pair more of them than what is known does."""
    told = Counter(side for name in names if (side := side_of(name)))
    pairs = max((_pairs(names, *both) for both in _LETTERS), key=len)
    if len(pairs) <= max(_FEWEST - 1, min(told["L"], told["R"])):
        return tuple(names)
    spelt = dict(enumerate(names))
    for (head, tail), places in pairs:
        for side, place in zip(("left", "right"), places, strict=True):
            spelt[place] = " ".join((*head, side, *tail))
    return tuple(spelt[place] for place in range(len(names)))


_Around = tuple[tuple[str, ...], tuple[str, ...]]


def _pairs(names: Sequence[str], left: str, right: str) -> list[tuple[_Around, tuple[int, int]]]:
    """Return what stands before and behind the letter of two names, and the two, the left one first."""
    found: dict[_Around, dict[str, int]] = {}
    for place, name in enumerate(names):
        for around, letter in _letters(tokens(name)):
            found.setdefault(around, {})[letter] = place
    two = {around: by_letter for around, by_letter in found.items() if set(by_letter) == {left, right}}
    return [(around, (by_letter[left], by_letter[right])) for around, by_letter in two.items()]


def _letters(words: tuple[str, ...]) -> Iterator[tuple[_Around, str]]:
    for at, word in enumerate(words):
        if len(word) == 1 and word.isalpha():
            yield (words[:at], words[at + 1 :]), word
