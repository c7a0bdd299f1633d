"""The one place where the benchmarks meet Superpose. Everything else here knows only these functions."""


def can_solve():
    """Whether the solver core is there."""
    return False


def solve(rig, targets, start=None):
    """Pose matrices (batch, bones, 4, 4) in armature space that meet the targets.

    ``targets`` (batch, effectors, 4, 4) are the effectors' bone matrices in armature space; ``start``
    (batch, bones, 4, 4) is the pose to start from, rest if None. Default settings, hips free.
    """
    raise NotImplementedError


def can_bake():
    """Whether the extension's bake operator is registered."""
    import bpy

    return hasattr(bpy.types, "SUPERPOSE_OT_bake")


def set_up_bake(armature_object, rig, empties):
    """Give the rig's effectors, by the add-on's own means, the empties (at bone matrices) as targets."""
    raise NotImplementedError


def bake(frames):
    """Call ``bpy.ops.superpose.bake`` on frames 1 to ``frames``; this call is what is timed."""
    raise NotImplementedError
