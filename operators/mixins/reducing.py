# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys of a clip stay: all, as few as keep a bound, or those at chosen frames."""

from collections.abc import Generator, Sequence
from math import radians

from bpy.props import EnumProperty, FloatProperty
from bpy.types import Context, Object, Scene, UILayout

from ...armature import Rig, RigError
from ...armature.recording.markers import users_frames
from ...armature.reduction.kept_frames import keyed_frames
from ...armature.reduction.reducing import KeyChoice, Progress, ReducedKeys, reduce_clip
from ...armature.solution.baked import remember_reduced
from ...reports import angle_text, length_text
from ...solvers.pauses import passed_on
from .keying import KeyingOperator

FEWER = (
    (
        'REDUCED',
        "Reduced",
        "Few keys, enough to keep bones within Largest Error and Largest Turn of the full clip",
    ),
    ('EXTREMES', "On Extremes", "Keys of a bone where any of its channels turns back by more than the bound"),
    ('EXISTING', "On Existing Keys", "Keys in frames in which solved bones, goals or targets have keys"),
    ('MARKERS', "On Markers", "Keys in frames that have a marker, other than those of Mark Frames"),
)


class ReducingOperator(KeyingOperator):
    """Mixin of operators that may leave a clip fewer keys than frames."""

    keys: EnumProperty(
        name="Keys",
        description="Which frames have keys",
        items=(('EVERY', "Every Frame", "Keys in every frame that is baked"), *FEWER),
    )
    largest_error: FloatProperty(
        name="Largest Error",
        description="How far any bone may move away from the full clip with fewer keys. 1 mm cannot be "
        "seen; too much lets feet slide",
        default=0.001,
        min=1e-6,
        soft_max=0.05,
        precision=4,
        subtype='DISTANCE',
    )
    largest_turn: FloatProperty(
        name="Largest Turn",
        description="How far any bone may turn away from the full clip with fewer keys. 0.1° cannot be "
        "seen; too much makes heads and hands waver",
        default=radians(0.1),
        min=radians(1e-4),
        soft_max=radians(5.0),
        precision=3,
        subtype='ANGLE',
    )

    def draw_keys(self, scene: Scene, layout: UILayout) -> None:
        """Draw which keys stay, and bounds where they count; one that is kept for certain is put in words."""
        layout.prop(self, "keys")
        if self.keys not in {'REDUCED', 'EXTREMES'}:
            return
        col = layout.column(align=True)
        col.prop(self, "largest_error")
        col.prop(self, "largest_turn")
        if self.keys == 'REDUCED':
            bound = f"{length_text(scene, self.largest_error)} and {angle_text(self.largest_turn)}"
            col.label(text=f"Bones stay within {bound}")

    def key_choice(self, scene: Scene, rig: Rig, ob: Object, numbers: Sequence[int]) -> KeyChoice | None:
        """Return which keys stay, None for all; raises RigError where no frame is chosen."""
        if self.keys == 'EVERY':
            return None
        bound = self.largest_error, self.largest_turn
        if self.keys in {'REDUCED', 'EXTREMES'}:
            return KeyChoice(*bound, on_extremes=self.keys == 'EXTREMES')
        is_marked = self.keys == 'MARKERS'
        frames = users_frames(scene) if is_marked else keyed_frames(scene, rig, ob, numbers)
        chosen = tuple(sorted(frame for frame in frames if numbers[0] <= frame <= numbers[-1]))
        if not chosen:
            nobody = f"Neither '{ob.name}' nor its targets have keys"
            what = "The scene has no marker of your own" if is_marked else nobody
            raise RigError(f"{what} in frames {numbers[0]} to {numbers[-1]}")
        return KeyChoice(*bound, chosen=chosen)

    def reduced(
        self, context: Context, ob: Object, rig: Rig, numbers: Sequence[int], choice: KeyChoice
    ) -> Generator[int, None, ReducedKeys | None]:
        """Reduce the keys that are there; whoever stops it puts them back."""
        return (yield from passed_on(reduce_clip(context, rig, ob, numbers, choice), self.take_up))

    def remember(self, ob: Object, numbers: Sequence[int]) -> None:
        """Have the next bake know the motion again whose keys were reduced within bounds."""
        if self.keys == 'REDUCED':
            remember_reduced(ob, numbers)

    def take_up(self, progress: Progress) -> int:
        """Say what it is at, and return how many steps are done of that."""
        self.phase, done, self.total = progress
        return done
