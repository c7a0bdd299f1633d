# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that are properties of an operator: their kinds, ranges, defaults and help are the operator's."""

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Mapping
from functools import partial
from math import ceil, degrees, floor, nan, radians

import bpy
from bpy.types import Property, Scene

from ..armature import frame_numbers
from .errors import CommandError

ENDS = ("frame_start", "frame_end")
# Frames are far away that are so many times as many beyond the scene's own, which are never taken for few.
_FAR, _FEW = 10, 1000


def add_options(to: ArgumentParser, operator: str, defaults: Mapping[str, object]) -> None:
    """Add an option for each property of an operator of ours that a user may set.

    Those that are not given, and have none of the ``defaults``, are left out of what is parsed.
    """
    for name, prop in settable(operator).items():
        default = defaults.get(name, SUPPRESS)
        add_option(to, prop, option_name(name), prop.description, dest=name, default=default)


def add_option(to: ArgumentParser, prop: Property, name: str, what: str, **more: object) -> None:
    """Add the option of one property; ``what`` it is, for the help."""
    what = f"{what} (default: {default_text(prop, more['default'])})".replace("%", "%%")
    if prop.type == 'BOOLEAN':
        more["action"] = BooleanOptionalAction
    elif prop.type == 'ENUM':
        more["choices"] = [choice_text(item.identifier) for item in prop.enum_items]
    else:
        more["type"] = partial(number_from, prop)
        more["metavar"] = "DEGREES" if prop.unit == 'ROTATION' else "NUMBER"
    to.add_argument(name, help=what, **more)


def given(options: Namespace, operator: str) -> dict[str, object]:
    """Return the operator's properties that the options give, as the operator takes them."""
    return {
        name: identifier(prop, value) if prop.type == 'ENUM' else value
        for name, prop in settable(operator).items()
        if (value := getattr(options, name, None)) is not None
    }


def frames_given(parser: ArgumentParser, options: Namespace, operator: str) -> dict[str, object]:
    """Return what ``given`` does, and that the range is one's own where its ends are given.

    Ends the program where one end is given alone, behind the other or beside a range that is not one's own.
    """
    properties = given(options, operator)
    ends = [name for name in ENDS if name in properties]
    if not ends:
        return properties
    first, last = map(option_name, ENDS)
    for other in ENDS:
        if other not in ends:
            parser.error(f"{option_name(ends[0])} needs {option_name(other)} beside it")
    if properties.get("range", 'CUSTOM') != 'CUSTOM':
        parser.error(f"{first} needs --range custom")
    if properties[ENDS[0]] > properties[ENDS[1]]:
        parser.error(f"{first} {properties[ENDS[0]]} comes after {last} {properties[ENDS[1]]}")
    return properties | {"range": 'CUSTOM'}


def numbers_of(operator: str, properties: Mapping[str, object]) -> list[int]:
    """Return the scene's frames that the operator of ours reads with these properties.

    Raises RigError, and CommandError where they are far beyond the scene's own and all keys: that is a slip,
    and would take hours.
    """
    known = getattr(bpy.ops.superpose, operator).get_rna_type().properties
    names = [name for name in ("range", *ENDS, "step") if name in known]
    asked = (properties.get(name, known[name].default) for name in names)
    numbers, (first, last) = frame_numbers(bpy.context.scene, *asked), _usual_frames(bpy.context.scene)
    if max(numbers[-1] - last, first - numbers[0]) > _FAR * max(last - first, _FEW):
        told = f"Frames {numbers[0]} to {numbers[-1]} go far beyond those of the scene and of all keys"
        raise CommandError(f"{told}, {first} to {last}; if you mean them, put them into the scene's range")
    return numbers


def _usual_frames(scene: Scene) -> tuple[int, int]:
    """Return the first and the last frame that the scene or a key has."""
    ends = [(scene.frame_start, scene.frame_end), *(action.frame_range for action in bpy.data.actions)]
    first, last = (pick(of) for pick, of in zip((min, max), zip(*ends, strict=True), strict=True))
    return floor(first), ceil(last)


def settable(operator: str) -> dict[str, Property]:
    """Return the numbers, switches and choices of an operator of ours that its user may set."""
    properties = getattr(bpy.ops.superpose, operator).get_rna_type().properties
    kinds = ('INT', 'FLOAT', 'BOOLEAN', 'ENUM')
    return {
        prop.identifier: prop
        for prop in properties
        if prop.type in kinds and not prop.is_hidden and not getattr(prop, "is_array", False)
    }


def option_name(name: str) -> str:
    """Return what the option for a property is called."""
    return f"--{name.removeprefix('use_').replace('_', '-')}"


def choice_text(name: str) -> str:
    """Return how users write one of a property's choices."""
    return name.lower().replace("_", "-")


def identifier(prop: Property, text: str) -> str:
    """Return the choice that users write so."""
    return next(item.identifier for item in prop.enum_items if choice_text(item.identifier) == text)


def default_text(prop: Property, default: object) -> str:
    """Return the default in words, the property's where there is none."""
    value = prop.default if default == SUPPRESS else default
    if prop.type == 'BOOLEAN':
        return "yes" if value else "no"
    if prop.type == 'ENUM':
        return choice_text(value)
    return f"{degrees(value) if prop.unit == 'ROTATION' else value:g}"


def number_from(number: Property, text: str) -> float:
    """Return the number that the text says; raises ArgumentTypeError if the operator would not take it.

    Angles are told in degrees, and returned in radians.
    """
    kind, what, form = (int, "a whole number", "d") if number.type == 'INT' else (float, "a number", "g")
    shown, read = (degrees, radians) if number.unit == 'ROTATION' else (kind, kind)
    try:
        value = read(kind(text))
    except ValueError:
        value = nan
    if not number.hard_min <= value <= number.hard_max:
        ends = f"from {shown(number.hard_min):{form}} to {shown(number.hard_max):{form}}"
        raise ArgumentTypeError(f"'{text}' is not {what} {ends}")
    return value
