# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the joints of quadrupeds and birds turn, in degrees, each with its source.

Said in directions of the body as in human_joints.py. Hinges are measured from straight, so elbows, stifles,
hocks and knees never bend the wrong way. Which way that is, a clearly bent rest pose tells better than the
joint's name. Balls are measured from the rest pose, which is taken to be standing. Of dogs and sheep the
wider figure counts: one table is to fit paws and hooves.

Sources:

- Jaegger: G. Jaegger, D. J. Marcellin-Little, D. Levine 2002, 10.2460/ajvr.2002.63.979, goniometry of 16
  Labrador Retrievers.
- Govoni: V. M. Govoni and others 2012, Veterinary and Comparative Orthopaedics and Traumatology 25, 297 to
  300, goniometry of 20 sheep.
- Kambic: R. E. Kambic and others 2014, 10.1242/jeb.101428, turning guineafowl in X-rays: the femur turns
  about its length by up to 38 degrees; knees and ankles hardly bend sideways.
- Baliga: V. B. Baliga and others 2019, 10.1126/sciadv.aaw6670, wings of 61 species of birds: elbows and
  wrists fold and stretch in one plane of the wing, from 0 to 180 degrees at most.
- Schikowski: L. Schikowski and others 2021, 10.3389/fvets.2021.709967, walking dogs in X-rays: the skull and
  the first vertebrae of the neck nod by up to 50 degrees, bend sideways by 42 and turn by 42, all in all.

What none of them measured, sideways and about the length of legs, backs, necks, shoulder blades, paws and
wings at the shoulder, is guessed and says so. Necks and backs have the same range at each bone, however many
there are: few fold no more than flesh does, and many, as of swans and dragons, can be coiled.
"""

from .human_joints import Bend, Joint, Lean

_GUESSED = "sideways and its twist are guesses"
_BALLS = "from standing"


def _round(angle: float, turn: float) -> Lean:
    """Return a ball joint that leans as far to all sides."""
    return Lean(tuple((side, angle) for side in ("UP", "DOWN", "LEFT", "RIGHT")), (-turn, turn))


QUADRUPED_JOINTS = {
    "QUADRUPED_SHOULDER": Joint(
        "Shoulder",
        Lean((("FRONT", 50), ("BACK", 60), ("OUT", 30), ("IN", 20)), (-20, 20)),
        f"Jaegger: 57 to 165 between blade and arm, {_BALLS}; {_GUESSED}",
    ),
    "QUADRUPED_ELBOW": Joint(
        "Elbow", Bend(("FRONT",), 146, 0, play=3), "Govoni: folds to 34; stretched at most straight"
    ),
    "QUADRUPED_CARPUS": Joint(
        "Carpus", Bend(("BACK",), 160, 16, play=3), "Govoni: folds to 20; Jaegger: overstretches to 196"
    ),
    "QUADRUPED_HIP": Joint(
        "Hip",
        Lean((("FRONT", 55), ("BACK", 55), ("OUT", 30), ("IN", 20)), (-20, 20)),
        f"Jaegger: 50 to 162 between pelvis and thigh, {_BALLS}; {_GUESSED}",
    ),
    "QUADRUPED_STIFLE": Joint(
        "Stifle", Bend(("BACK",), 138, 0, play=3), "Jaegger: folds to 42; stretched at most straight"
    ),
    "QUADRUPED_HOCK": Joint(
        "Hock", Bend(("FRONT",), 145, 0, play=3), "Govoni: folds to 35; stretched at most straight"
    ),
}
BIRD_JOINTS = {
    "BIRD_HIP": Joint(
        "Hip",
        Lean((("FRONT", 45), ("BACK", 45), ("OUT", 30), ("IN", 15)), (-38, 38)),
        "Kambic, its twist; the rest is guessed, from standing",
    ),
    "BIRD_KNEE": Joint("Knee", Bend(("BACK",), 160, 0, play=3), "Kambic, its axis; its end is a guess"),
    "BIRD_ANKLE": Joint("Ankle", Bend(("FRONT",), 160, 0, play=3), "Kambic, its axis; its end is a guess"),
    "BIRD_ELBOW": Joint("Elbow", Bend(("FRONT",), 160, 0, play=3), "Baliga, its plane; its end is a guess"),
    "BIRD_WRIST": Joint("Wrist", Bend(("BACK",), 160, 0, play=3), "Baliga, its plane; its end is a guess"),
}
# Those that nobody measured in any direction: an animal that moves farther has a wider range.
GUESSED_JOINTS = {
    "QUADRUPED_BACK": Joint("Back", _round(50, 30), "guesses, so that a cat can arch its back"),
    "QUADRUPED_NECK": Joint("Neck", _round(60, 40), "guesses, so that horses graze and cats lick flanks"),
    "QUADRUPED_HEAD": Joint("Head", _round(70, 50), "guesses, wider than what Schikowski saw in walking"),
    "QUADRUPED_PAW": Joint("Paw or Hoof", _round(80, 30), "guesses"),
    "QUADRUPED_BLADE": Joint("Shoulder Blade", _round(45, 25), "guesses"),
    "BIRD_BACK": Joint("Back", _round(25, 15), "guesses: most of a bird's back has grown together"),
    "BIRD_NECK": Joint("Neck", _round(75, 45), "guesses, so that a swan can lay it in an S"),
    "BIRD_HEAD": Joint("Head", _round(80, 60), "guesses"),
    "BIRD_COLLAR": Joint("Collarbone", _round(40, 25), "guesses"),
    "BIRD_SHOULDER": Joint("Shoulder", _round(100, 90), "guesses, so that wings fold and beat"),
}
ANIMAL_JOINTS = QUADRUPED_JOINTS | BIRD_JOINTS | GUESSED_JOINTS
