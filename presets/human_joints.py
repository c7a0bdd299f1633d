# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far human joints turn, in degrees, each with its source.

Everything is said in directions of the body, so it fits bones of any roll: FRONT, BACK, UP, DOWN, LEFT,
RIGHT; OUT and IN, away from the middle of the body and towards it; and of a hand PALM, KNUCKLES (its back),
THUMB and LITTLE (its sides). A twist is about the bone's own length: of a left bone, right ones mirrored.

Sources, the three books as others quote them; "after" where those who give the figures do not name the book:

- AAOS: American Academy of Orthopaedic Surgeons, Joint Motion: Method of Measuring and Recording, 1965; from
  shoulder to wrist as in C. C. Norkin, D. J. White, Measurement of Joint Motion, 5th ed. 2016, table A.1.
- White and Panjabi: A. A. White, M. M. Panjabi, Clinical Biomechanics of the Spine, 2nd ed. 1990. The fullest
  quotation found differs at some levels below T1, by which no part of the spine would change by more than 1.5
  degrees.
- Levangie and Norkin: P. K. Levangie, C. C. Norkin, Joint Structure and Function, 5th ed. 2011, where
  P. M. Ludewig and J. D. Borstad write on the shoulder.
- Ferrario: V. F. Ferrario and others 2002, 10.1016/S0736-0266(01)00079-1, the head against the trunk of 60
  young adults: both ways 133 in all to front and back, 84 to the sides, 158 in turning, halved here. AAOS has
  45, 45 and 60 each way, which captured motion leaves.
- Troke: M. Troke and others 2005, 10.1016/j.math.2004.10.004, medians of the youngest of 405 people. By the
  vertebrae's shares of what AAOS has for the trunk it would be 39 and 12 degrees to front and back.
- Calatayud: J. Calatayud and others 2015, Int. J. Sports Phys. Ther. 10, 197, means of 26 men, lunging. AAOS
  has 20 without load.
- El-shennawy: M. El-shennawy and others 2001, J. Hand Surg. Am. 26, 1030: bones of the palm, from the index
  finger's to the little one's, bend by 11, 7, 20 and 27 both ways in all, aside by 2, 4, 7 and 13, and turn
  by 5, 5, 27 and 22.
- Goubier: J.-N. Goubier and others 2009, 10.1016/j.main.2009.07.003, active means of 101 people.

For comparison: J. M. Soucie and others 2011, 10.1111/j.1365-2516.2010.02399.x, measured passive means of
women and men aged 20 to 44 within 15 degrees of these in flexion of shoulder, elbow, hip and knee, extension
of the hip and plantar flexion of the ankle.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bend:
    """A hinge: ``flexion`` bends the bone ``towards`` a side, ``extension`` the other way.

    ``from_straight``: both are measured from where it is in line with its parent; else from rest. ``play``:
    how far it may turn the axis itself.
    """

    towards: tuple[str, ...]
    flexion: float
    extension: float
    from_straight: bool = True
    play: float = 0.0


@dataclass(frozen=True)
class Lean:
    """A ball joint: how far the bone leans from rest to each of four ``sides``, opposite ones in pairs."""

    sides: tuple[tuple[str, float], ...]
    twist: tuple[float, float]


@dataclass(frozen=True)
class Reach:
    """A ball joint by where the bone may point, whatever its rest: cones about sums of directions.

    ``cones``: (parts, radius), a part being a direction and its weight.
    """

    cones: tuple[tuple[tuple[tuple[str, float], ...], float], ...]
    twist: tuple[float, float]


@dataclass(frozen=True)
class Joint:
    """A joint by its common name, what it may do, and who says so."""

    title: str
    motion: Bend | Lean | Reach
    source: str


# From the top down: flexion and extension together, leaning to one side, turning to one side.
_THORACIC = (
    (4, 5, 9),
    (4, 6, 8),
    (4, 5, 8),
    (4, 6, 8),
    (4, 6, 8),
    (5, 6, 7),
    (6, 6, 7),
    (6, 6, 6),
    (6, 6, 4),
    (9, 7, 2),
    (12, 9, 2),
    (12, 8, 2),
)
_LUMBAR = ((12, 6, 2), (14, 6, 2), (15, 8, 2), (16, 6, 2), (17, 3, 1))
# Flexion, extension, to one side, turning to one side.
_NECK_WHOLE = (66, 66, 42, 79)
_TRUNK_WHOLE = (80, 25, 35, 45)
_LUMBAR_WHOLE = (73, 29, 28, 7)
# Of which the joint of the head does as much, in captured motion: see human_comfort.json.
_OF_THE_HEAD = 2 / 3


def _lean(front: float, back: float, side: float, turn: float) -> Lean:
    front, back, side, turn = (round(angle, 1) for angle in (front, back, side, turn))
    return Lean((("FRONT", front), ("BACK", back), ("LEFT", side), ("RIGHT", side)), (-turn, turn))


def _part(whole: tuple[float, float, float, float], share: float) -> Lean:
    return _lean(*(share * angle for angle in whole))


def _thoracic() -> Lean:
    """Return what the upper levels of the spine do of what the whole trunk does."""
    bend, side, turn = (
        sum(level[column] for level in _THORACIC) / sum(level[column] for level in _THORACIC + _LUMBAR)
        for column in range(3)
    )
    front, back, to_side, to_turn = _TRUNK_WHOLE
    return _lean(front * bend, back * bend, to_side * side, to_turn * turn)


# Beside the axis: rigs that pose limbs by two targets have none, but joints of flesh do.
_PLAY = 3

HUMAN_JOINTS = {
    "HEAD": Joint("Head", _part(_NECK_WHOLE, _OF_THE_HEAD), "two thirds of the neck after Ferrario"),
    "NECK": Joint("Neck", _part(_NECK_WHOLE, 1 - _OF_THE_HEAD), "a third of the neck after Ferrario"),
    "THORACIC": Joint(
        "Upper Spine",
        _thoracic(),
        "T1 to L1: after AAOS for the whole trunk, shared among the levels as White and Panjabi have it",
    ),
    "LUMBAR": Joint("Lower Spine", _lean(*_LUMBAR_WHOLE), "L1 to S1: Troke, the youngest"),
    "TRUNK": Joint("Whole Spine", _lean(*_TRUNK_WHOLE), "T1 to S1: after AAOS"),
    "CLAVICLE": Joint(
        "Collarbone",
        Lean((("UP", 48), ("DOWN", 15), ("FRONT", 20), ("BACK", 30)), (-50, 10)),
        "after Levangie and Norkin",
    ),
    "SHOULDER": Joint(
        "Shoulder",
        Reach(
            (
                # Across the chest 135, behind 45, and from hanging to overhead 180.
                ((("OUT", 1), ("FRONT", 1)), 90),
                # Backwards 60.
                ((("DOWN", 0.94), ("BACK", 0.34)), 40),
            ),
            (-90, 70),
        ),
        "AAOS, the whole complex with the collarbone: flexion and abduction 180, extension 60, "
        "outward turn 90, inward 70; horizontally, after AAOS, 135 and 45",
    ),
    "ELBOW": Joint("Elbow", Bend(("FRONT",), 150, 0, play=_PLAY), "AAOS; about 3 of play"),
    "WRIST": Joint(
        "Wrist",
        Lean((("PALM", 80), ("KNUCKLES", 70), ("THUMB", 20), ("LITTLE", 30)), (-80, 80)),
        "AAOS; the twist is that of the forearm, pronation and supination",
    ),
    "PALM": Joint(
        "Palm",
        Lean((("PALM", 12), ("KNUCKLES", 4), ("THUMB", 3), ("LITTLE", 3)), (-5, 5)),
        "El-shennawy, between the middle and the little finger's, which names of bones do not tell apart",
    ),
    "THUMB_BASE": Joint(
        "Thumb, Base",
        Lean((("PALM", 35), ("KNUCKLES", 35), ("THUMB", 20), ("LITTLE", 15)), (-10.5, 10.5)),
        "after AAOS; its abduction of 70, and a twist of 21 by Goubier, half to either side of rest",
    ),
    "THUMB_MIDDLE": Joint("Thumb, Middle", Bend(("PALM", "LITTLE"), 50, 0), "AAOS"),
    "THUMB_TIP": Joint("Thumb, Tip", Bend(("PALM", "LITTLE"), 80, 20), "AAOS"),
    "FINGER_BASE": Joint(
        "Finger, Base",
        Lean((("PALM", 90), ("KNUCKLES", 45), ("THUMB", 20), ("LITTLE", 20)), (-10, 10)),
        "AAOS, its abduction of 20 to either side; about 10 of twist",
    ),
    "FINGER_MIDDLE": Joint("Finger, Middle", Bend(("PALM",), 100, 0), "AAOS"),
    "FINGER_TIP": Joint("Finger, Tip", Bend(("PALM",), 90, 10), "AAOS"),
    "HIP": Joint("Hip", Lean((("FRONT", 120), ("BACK", 30), ("OUT", 45), ("IN", 30)), (-45, 45)), "AAOS"),
    "KNEE": Joint("Knee", Bend(("BACK",), 135, 0, play=_PLAY), "AAOS; about 3 of play"),
    "ANKLE": Joint(
        "Ankle",
        Lean((("UP", 40), ("DOWN", 50), ("OUT", 20), ("IN", 20)), (-35, 15)),
        "AAOS, the twist being inversion and eversion; upwards Calatayud, under load; sideways about 20",
    ),
    "TOES": Joint("Toes", Bend(("DOWN",), 45, 70, from_straight=False), "after AAOS, the great toe"),
}
