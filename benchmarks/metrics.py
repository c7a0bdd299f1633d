"""What is measured of poses, numpy only: residuals, naturalness and smoothness."""

import numpy as np

from .kinematics import own_transforms, rotation_angle, vector_from_rotation
from .rigs import path_to_hips

SOLVED_METRES, SOLVED_DEGREES = 1e-3, 0.1


def residuals(rig, poses, targets):
    """Each effector's distance (batch, effectors), metres of a 1.75 m figure, and angle in degrees."""
    reached = poses[:, rig.effectors]
    distance = np.linalg.norm(reached[..., :3, 3] - targets[..., :3, 3], axis=-1)
    turn = np.swapaxes(reached[..., :3, :3], -1, -2) @ targets[..., :3, :3]
    return distance * rig.scale, np.degrees(rotation_angle(turn))


def solved(rig, poses, targets):
    """Which poses (batch,) have every effector within 1 mm and 0.1 degrees."""
    metres, degrees = residuals(rig, poses, targets)
    return ((metres < SOLVED_METRES) & (degrees < SOLVED_DEGREES)).all(axis=1)


def solved_bones(rig):
    """Bones on the paths from the hips to the effectors, the hips first."""
    on_paths = {bone for effector in rig.effectors for bone in path_to_hips(rig, effector)}
    return [int(rig.effectors[0]), *sorted(on_paths)]


def free_joints(rig):
    """Bones on the paths whose heads the targets leave open.

    An effector's own head and its children's heads are given by its target; so is every head that coincides
    with a given one in rest, because bones do not stretch.
    """
    bones, effectors = solved_bones(rig), set(rig.effectors.tolist())
    given = {bone for bone in bones if bone in effectors or rig.parents[bone] in effectors}
    jointed = [bone for bone in bones if rig.parents[bone] in bones]
    links = [(bone, int(rig.parents[bone])) for bone in jointed if coincident(rig, bone)]
    for _ in bones:
        given |= {bone for link in links if given & set(link) for bone in link}
    return [bone for bone in bones if bone not in given]


def coincident(rig, bone, tolerance=1e-6):
    """Whether a bone's head lies on its parent's, to a tolerance in metres of a 1.75 m figure."""
    offset = rig.rest[bone, :3, 3] - rig.rest[rig.parents[bone], :3, 3]
    return np.linalg.norm(offset) * rig.scale < tolerance


def joint_distance(rig, poses, reference):
    """Naturalness: the free joints' mean distance (batch,) to the reference's, metres at 1.75 m."""
    joints = free_joints(rig)
    apart = (poses[:, joints] - reference[:, joints])[..., :3, 3]
    return np.linalg.norm(apart, axis=-1).mean(axis=1) * rig.scale


def effector_acceleration(rig, poses, fps):
    """Mean acceleration of the effectors, metres a square second of a 1.75 m figure."""
    places = poses[:, rig.effectors][..., :3, 3] * rig.scale
    return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=-1).mean() * fps**2)


def angular_acceleration(rig, poses, fps):
    """Mean magnitude of the solved joints' angular acceleration over a clip, rad/s^2."""
    local = own_transforms(rig, poses)[:, solved_bones(rig), :3, :3]
    steps = np.swapaxes(local[:-1], -1, -2) @ local[1:]
    velocity = vector_from_rotation(steps) * fps
    return np.linalg.norm(np.diff(velocity, axis=0) * fps, axis=-1).mean()


def roughness(rig, poses, reference, fps):
    """Smoothness: mean joint angular acceleration relative to the reference's; 1 is as smooth as it."""
    return angular_acceleration(rig, poses, fps) / angular_acceleration(rig, reference, fps)
