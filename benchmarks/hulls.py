"""Areas of spherical convex hulls, numpy only: what regions of directions are compared with."""

import numpy as np

FLATTEST = 0.05  # cosine between the middle and the farthest direction for which there is a hull


def hull_area(directions):
    """Steradians of the smallest convex region round directions (n, 3); nan if no hemisphere holds them."""
    return polygon_area(hull(directions))


def widened_hull_area(directions, margin):
    """The same with a margin, radians, all round (Steiner's formula on the sphere)."""
    corners = hull(directions)
    return (
        2 * np.pi - (2 * np.pi - polygon_area(corners)) * np.cos(margin) + perimeter(corners) * np.sin(margin)
    )


def hull(directions):
    """The corners (c, 3) of the hull, in order; nan if no hemisphere holds the directions."""
    middle = hemisphere(directions)
    if middle is None:
        return np.full((3, 3), np.nan)
    across = np.linalg.svd(middle[None])[2][1:]
    flat = np.unique(directions @ across.T / (directions @ middle)[:, None], axis=0)
    corners = np.array(half_hull(flat) + half_hull(flat[::-1])) if len(flat) > 2 else flat
    raised = middle + corners @ across
    return raised / np.linalg.norm(raised, axis=1, keepdims=True)


def hemisphere(directions):
    """A direction with all others well within a right angle; None if it is not found."""
    middle = directions.mean(axis=0) + 1e-9 * directions[0]
    for _ in range(1000):
        middle = middle / np.linalg.norm(middle)
        cosines = directions @ middle
        if cosines.min() > FLATTEST:
            return middle
        middle = middle + 0.3 * directions[np.argmin(cosines)]
    return None


def half_hull(points):
    """The corners of sorted points' lower hull but the last (Andrew's monotone chain)."""
    kept = []
    for point in points:
        while len(kept) > 1 and turn(kept[-2], kept[-1], point) <= 0:
            kept.pop()
        kept.append(point)
    return kept[:-1]


def turn(a, b, c):
    """Positive where the way a, b, c bends to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def polygon_area(corners):
    """Steradians of a convex polygon of great arcs: what its corners lack of a whole turn."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    arrive, leave = np.cross(before, corners), np.cross(corners, after)
    turns = np.arctan2(np.linalg.norm(np.cross(arrive, leave), axis=1), np.sum(arrive * leave, axis=1))
    return 2 * np.pi - turns.sum()


def perimeter(corners):
    """The polygon's length, radians."""
    after = np.roll(corners, -1, axis=0)
    return np.arctan2(np.linalg.norm(np.cross(corners, after), axis=1), np.sum(corners * after, axis=1)).sum()
