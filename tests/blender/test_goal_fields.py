# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a goal in its panel, and what they say while they are empty."""

import bpy
import figures
import pytest
from drawn_panels import Layout

pytestmark = [pytest.mark.usefixtures("blend"), pytest.mark.once]


class Labelled(Layout):
    """What is beside a field, or in it while it is empty."""

    def part(self, *_, **__):
        return Labelled(self.drawn)

    row = column = part

    def prop(self, owner, name, text="", placeholder="", **_):
        self.drawn.append((name, text or placeholder))

    def prop_search(self, owner, name, place, collection, text="", **_):
        self.drawn.append((name, text))


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("PLANE", {"bone": "All Bones", "target": "Ground of the scene"}),
        ("BALANCE", {"target": "Above the lowest effectors"}),
        ("AIM", {"bone": "Bone", "target": "No target"}),
    ],
)
def test_an_empty_field_of_a_goal_says_what_that_means(kind, fields):
    ob = figures.ready()
    ob.data.bones.active = ob.data.bones["head"]
    bpy.ops.superpose.add_goal(kind=kind)
    layout, goal = Labelled(), ob.superpose.goals[0]
    panel = bpy.types.SUPERPOSE_PT_goals
    panel.draw_goal(None, layout, ob, goal)
    assert {name: words for name, words in layout.drawn if name in ("bone", "target")} == fields
    if kind == "PLANE":
        goal.bone = "head"
        panel.draw_goal(None, layout, ob, goal)
        assert ("bone", "Bone") in layout.drawn
