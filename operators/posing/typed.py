# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that are typed while something is dragged, as Blender takes them: Tab goes to the next one."""

from dataclasses import dataclass, field

_KEYS = {
    name: str(digit) for digit, name in enumerate("ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE".split())
}
_KEYS |= {f"NUMPAD_{digit}": str(digit) for digit in range(10)}
_KEYS |= {'PERIOD': ".", 'NUMPAD_PERIOD': "."}
_MINUS = {'MINUS', 'NUMPAD_MINUS'}


@dataclass
class Typed:
    """``texts``: what was typed for each of so many numbers; ``place``: which one is typed now."""

    texts: list[str] = field(default_factory=lambda: [""])
    place: int = 0

    def __bool__(self) -> bool:
        return any(self.texts)

    def press(self, key: str) -> bool:
        """Take a key by Blender's name of it; return whether it was one for numbers."""
        text = self.texts[self.place]
        if key in _KEYS:
            digit = _KEYS[key]
            text += digit if digit != "." or "." not in text else ""
        elif key in _MINUS:
            text = text.removeprefix("-") if text.startswith("-") else f"-{text}"
        elif key == 'BACK_SPACE' and self:
            text = text[:-1]
        elif key == 'TAB' and self:
            self.place = (self.place + 1) % len(self.texts)
            return True
        else:
            return False
        self.texts[self.place] = text
        return True

    def shown(self) -> list[str]:
        """Return the texts, the one that is typed now marked as Blender does."""
        return [f"{text}|" if place == self.place else text or "0" for place, text in enumerate(self.texts)]

    def for_numbers(self, count: int) -> "Typed":
        """Return what was typed where so many numbers are asked for instead."""
        return Typed((self.texts + [""] * count)[:count], min(self.place, count - 1))
