# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies made of points, each joint named by its role: "thigh.L", "spine 2"."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np


@dataclass(frozen=True)
class Skeleton:
    """Joints by role: names, names of their parents, heads (J, 3)."""

    names: tuple
    parents: tuple
    heads: np.ndarray

    def renamed(self, new):
        """``new``: the name for each joint's role, or a function of it."""
        give = new if callable(new) else lambda name: new[name]
        parents = tuple(name and give(name) for name in self.parents)
        return replace(self, names=tuple(map(give, self.names)), parents=parents)

    def moved(self, rotation=None, scale=1.0, by=(0, 0, 0)):
        heads = self.heads @ (np.eye(3) if rotation is None else rotation).T
        return replace(self, heads=scale * heads + by)

    def shuffled(self, rng):
        order = rng.permutation(len(self.names))
        names, parents = ([values[index] for index in order] for values in (self.names, self.parents))
        return Skeleton(tuple(names), tuple(parents), self.heads[order])

    def without(self, *gone):
        """Only the joints that neither are nor hang on any of those."""
        above = dict(zip(self.names, self.parents, strict=True))
        kept = [name for name in self.names if not {name, *ancestors(name, above)} & set(gone)]
        heads = self.heads[[self.names.index(name) for name in kept]]
        return Skeleton(tuple(kept), tuple(above[name] for name in kept), heads)

    def joined(self, joint, parent, head):
        """With one more joint."""
        heads = np.vstack([self.heads, head])
        return Skeleton((*self.names, joint), (*self.parents, parent), heads)

    def rooted_at(self, root):
        """With what carried that joint hanging on it."""
        above = dict(zip(self.names, self.parents, strict=True))
        way = [root]
        while above[way[-1]] is not None:
            way.append(above[way[-1]])
        above |= {root: None, **{carrier: joint for joint, carrier in pairwise(way)}}
        order = [root]
        for joint in order:
            order.extend(name for name in self.names if above[name] == joint)
        heads = self.heads[[self.names.index(name) for name in order]]
        return Skeleton(tuple(order), tuple(above[name] for name in order), heads)

    def turned(self, joint, rotation):
        """What hangs on a joint turned about it."""
        above = dict(zip(self.names, self.parents, strict=True))
        below = [joint in ancestors(name, above) for name in self.names]
        middle, heads = self.heads[self.names.index(joint)], self.heads.copy()
        heads[below] = (heads[below] - middle) @ rotation.T + middle
        return replace(self, heads=heads)


def ancestors(name, above):
    found = set()
    while (name := above[name]) is not None:
        found.add(name)
    return found


def skeleton(text):
    """Lines of ``parent > joint x y z``; a line that says .L stands for its mirror image too."""
    joints = {}
    for line in filter(str.strip, text.splitlines()):
        parent, _, rest = line.rpartition(">")
        *name, x, y, z = rest.split()
        joint, parent = " ".join(name), parent.strip() or None
        place = np.array([float(x), float(y), float(z)])
        joints[joint] = parent, place
        if ".L" in joint:
            joints[joint.replace(".L", ".R")] = parent and parent.replace(".L", ".R"), place * (-1, 1, 1)
    parents = tuple(parent for parent, _ in joints.values())
    return Skeleton(tuple(joints), parents, np.array([place for _, place in joints.values()]))


HUMAN = skeleton(
    """
    hips 0 0 1.0
    hips > spine 1 0 0 1.1
    spine 1 > spine 2 0 -.01 1.22
    spine 2 > spine 3 0 0 1.35
    spine 3 > neck 0 .02 1.5
    neck > head 0 0 1.6
    head > eye.L .03 -.09 1.68
    spine 3 > clavicle.L .02 -.01 1.45
    clavicle.L > upper_arm.L .18 .01 1.46
    upper_arm.L > forearm.L .46 .03 1.45
    forearm.L > hand.L .72 .0 1.44
    hand.L > thumb 1.L .74 -.03 1.43
    thumb 1.L > thumb 2.L .77 -.06 1.42
    thumb 2.L > thumb 3.L .79 -.08 1.41
    hand.L > index 1.L .81 -.03 1.44
    index 1.L > index 2.L .85 -.03 1.44
    index 2.L > index 3.L .875 -.03 1.44
    hand.L > middle 1.L .815 -.01 1.44
    middle 1.L > middle 2.L .86 -.01 1.44
    middle 2.L > middle 3.L .89 -.01 1.44
    hand.L > ring 1.L .81 .01 1.44
    ring 1.L > ring 2.L .85 .01 1.44
    ring 2.L > ring 3.L .878 .01 1.44
    hand.L > pinky 1.L .80 .03 1.44
    pinky 1.L > pinky 2.L .83 .03 1.44
    pinky 2.L > pinky 3.L .85 .03 1.44
    hips > thigh.L .1 0 .95
    thigh.L > shin.L .1 -.02 .52
    shin.L > foot.L .1 .02 .09
    foot.L > toe.L .1 -.12 .02
    """
)
DOG = skeleton(
    """
    hips 0 .3 .6
    hips > spine 1 0 .15 .61
    spine 1 > spine 2 0 -.02 .61
    spine 2 > spine 3 0 -.18 .62
    spine 3 > neck 1 0 -.34 .66
    neck 1 > neck 2 0 -.42 .72
    neck 2 > head 0 -.5 .8
    head > ear.L .05 -.52 .87
    head > jaw 0 -.55 .76
    hips > tail 1 0 .36 .6
    tail 1 > tail 2 0 .47 .58
    tail 2 > tail 3 0 .57 .54
    spine 3 > clavicle.L .05 -.22 .66
    clavicle.L > upper_arm.L .09 -.3 .5
    upper_arm.L > forearm.L .09 -.22 .34
    forearm.L > hand.L .09 -.24 .12
    hand.L > finger.L .09 -.26 .03
    hips > thigh.L .09 .28 .54
    thigh.L > shin.L .1 .22 .35
    shin.L > foot.L .1 .38 .18
    foot.L > toe.L .1 .34 .03
    """
)
BIRD = skeleton(
    """
    hips 0 .05 .5
    hips > spine 0 -.1 .55
    spine > neck 1 0 -.2 .65
    neck 1 > neck 2 0 -.25 .8
    neck 2 > head 0 -.3 .9
    spine > upper_arm.L .08 -.08 .58
    upper_arm.L > forearm.L .3 -.02 .6
    forearm.L > hand.L .55 -.1 .6
    hand.L > finger.L .8 0 .6
    hips > thigh.L .06 .02 .48
    thigh.L > shin.L .07 -.08 .35
    shin.L > foot.L .07 .06 .18
    foot.L > toe 1.L .07 0 .02
    toe 1.L > toe 2.L .07 -.08 0
    hips > tail 1 0 .2 .48
    tail 1 > tail 2 0 .35 .45
    """
)
SPIDER = skeleton(
    """
    hips 0 0 .2
    hips > head 0 -.2 .2
    head > fang.L .05 -.3 .18
    hips > leg1 1.L .1 -.12 .2
    leg1 1.L > leg1 2.L .4 -.5 .5
    leg1 2.L > leg1 3.L .7 -.9 0
    hips > leg2 1.L .12 -.04 .2
    leg2 1.L > leg2 2.L .55 -.2 .5
    leg2 2.L > leg2 3.L .95 -.4 0
    hips > leg3 1.L .12 .04 .2
    leg3 1.L > leg3 2.L .55 .2 .5
    leg3 2.L > leg3 3.L .95 .4 0
    hips > leg4 1.L .1 .12 .2
    leg4 1.L > leg4 2.L .4 .5 .5
    leg4 2.L > leg4 3.L .7 1.0 0
    """
)


def chain(joints):
    """A snake along x, its joints called 0, 1, 2..."""
    heads = np.array([[0.1 * joint, 0.01 * np.sin(joint), 0.0] for joint in range(joints)])
    names = tuple(map(str, range(joints)))
    return Skeleton(names, (None, *names[:-1]), heads)
