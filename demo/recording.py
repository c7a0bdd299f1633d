# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record a hand and then the hips being dragged with the Pose tool, in a window; demo/recording.sh calls it.

The mouse is made by Blender's own event simulation, and drawn, as pictures of a window have none.
Reads the environment: RECORDING, the file to be written, and FRAMES, a folder for the pictures it is made of.
"""

import os
import subprocess
import sys
from pathlib import Path
from traceback import print_exc

sys.path.insert(0, str(Path(__file__).resolve().parent))

import addon_utils
import bpy
import figure
import gpu
import scene
from bpy_extras.view3d_utils import location_3d_to_region_2d
from gpu_extras.batch import batch_for_shader
from mathutils import Euler, Vector

REST = 0.35  # seconds from a move to its picture: the pose has been refined by then
SPEED = 12  # pictures a second
WIDTH, QUALITY = 520, 60
VIEW, DISTANCE, MIDDLE = Euler((1.45, 0.0, 0.45)), 2.3, Vector((0.0, 0.0, 0.95))
ARROW = ((0, 0), (0, -17), (4, -13), (7, -19), (10, -18), (7, -12), (12, -12))
# Where the mouse goes with the button pressed, metres on the screen, and in how many steps.
HAND = (((0.05, 0.45), 10), ((-0.2, 0.25), 6), ((0.15, -0.2), 6))
HIPS = (((0.0, -0.42), 12), ((0.12, 0.08), 6), ((-0.2, 0.02), 6), ((0.08, 0.24), 6))


def viewport():
    """Return the window, its 3D viewport's area and the region with the view."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == 'VIEW_3D')
    return window, area, next(region for region in area.regions if region.type == 'WINDOW')


def in_viewport():
    window, area, region = viewport()
    return bpy.context.temp_override(window=window, area=area, region=region)


class Mouse:
    """The mouse: it moves, and is seen in every picture."""

    def __init__(self, folder):
        self.folder, self.place, self.count, self.is_pressed = folder, (0, 0), 0, False
        bpy.types.SpaceView3D.draw_handler_add(self.draw, (), 'WINDOW', 'POST_PIXEL')

    def draw(self):
        """Draw an arrow, yellow while the button is pressed."""
        shader = gpu.shader.from_builtin('UNIFORM_COLOR')
        _, _, region = viewport()
        corners = [(self.place[0] - region.x + x, self.place[1] - region.y + y) for x, y in ARROW]
        fan = [(corners[0], corners[a], corners[a + 1]) for a in range(1, len(corners) - 1)]
        edges = list(zip(corners, [*corners[1:], corners[0]], strict=True))
        shader.bind()
        for kind, points, colour in (
            ('TRIS', fan, (1.0, 0.8, 0.2, 1.0) if self.is_pressed else (1.0, 1.0, 1.0, 1.0)),
            ('LINES', edges, (0.0, 0.0, 0.0, 1.0)),
        ):
            shader.uniform_float("color", colour)
            flat = [(*corner, 0.0) for part in points for corner in part]
            batch_for_shader(shader, kind, {"pos": flat}).draw(shader)

    def event(self, kind, value):
        x, y = map(round, self.place)
        viewport()[0].event_simulate(type=kind, value=value, x=x, y=y)

    def move(self, place):
        """Go to a place in the window."""
        self.place = place
        self.event('MOUSEMOVE', 'NOTHING')
        viewport()[1].tag_redraw()

    def button(self, is_pressed):
        self.is_pressed = is_pressed
        self.event('LEFTMOUSE', 'PRESS' if is_pressed else 'RELEASE')

    def way(self, steps, end):
        """Go on to a place in so many steps, slowly at both ends; a picture follows each."""
        begin = Vector(self.place)
        for step in range(1, steps + 1):
            share = step / steps
            self.move(tuple(begin.lerp(Vector(end), share * share * (3 - 2 * share))))
            yield from self.take()

    def take(self, count=1):
        """Take a picture of the window, to be shown as long as so many, once the pose is there."""
        yield REST
        for _ in range(count):
            file = self.folder / f"{self.count:04d}.png"
            subprocess.run(["import", "-window", "root", file], check=True)
            self.count += 1


def seen(point):
    """Return where in the window a place in the scene is."""
    _, area, region = viewport()
    x, y = location_3d_to_region_2d(region, area.spaces.active.region_3d, point)
    return x + region.x, y + region.y


def pixels(metres):
    """Return how far a way on the screen, metres at the figure, is there."""
    turn = VIEW.to_matrix()
    aside = turn @ Vector((*metres, 0.0))
    return Vector(seen(MIDDLE + aside)) - Vector(seen(MIDDLE))


def stage():
    """Empty the scene, and let the viewport fill the window."""
    addon_utils.enable("rigify", default_set=True)
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    with in_viewport():
        bpy.ops.screen.screen_full_area()


def figure_in_view():
    """Return the figure, new in the scene, with the Pose tool at hand and nothing in the way of the view."""
    _, area, _ = viewport()
    with in_viewport():
        bpy.ops.object.armature_human_metarig_add()
        rig = bpy.context.object
        rig.data.display_type = 'STICK'
        rig.show_in_front = True
        figure.dress(rig, scene.collection("Body"))
        for bones in rig.data.collections_all:
            bones.is_visible = bones.name not in {"Face", "Face (Primary)", "Face (Secondary)"}
        bpy.ops.object.mode_set(mode='POSE')
        bpy.ops.pose.select_all(action='DESELECT')
        bpy.ops.wm.tool_set_by_id(name="superpose.pose")
    space = area.spaces.active
    space.shading.color_type = 'OBJECT'
    space.show_region_ui, space.show_gizmo_navigate = False, False
    for name in ("show_text", "show_cursor", "show_axis_x", "show_axis_y", "show_relationship_lines"):
        setattr(space.overlay, name, False)
    view = space.region_3d
    view.view_perspective, view.view_distance, view.view_location = 'PERSP', DISTANCE, MIDDLE
    view.view_rotation = VIEW.to_quaternion()
    return rig


def drag(mouse, rig, bone, ways):
    """Take a bone and drag it along ways."""
    place = rig.matrix_world @ rig.pose.bones[bone].head
    yield from mouse.way(6, seen(place))
    yield from mouse.take(3)
    mouse.button(True)
    yield REST
    for metres, steps in ways:
        yield from mouse.way(steps, Vector(mouse.place) + pixels(metres))
    mouse.button(False)
    yield from mouse.take()
    yield from mouse.take(5)


def record(folder):
    """Do it all, step by step: each gives the seconds until the next."""
    bpy.context.preferences.view.show_splash = False
    yield 1.0
    stage()
    yield 1.0
    rig, mouse = figure_in_view(), Mouse(folder)
    yield 1.0
    mouse.move(seen(MIDDLE + Vector((0.7, 0.0, -0.2))))
    yield from mouse.take(3)
    yield from drag(mouse, rig, "hand.L", HAND)
    yield from drag(mouse, rig, "spine", HIPS)


def join(folder, file):
    """Join the pictures of the viewport."""
    window, area, _ = viewport()
    cut = f"{area.width}x{area.height}+{area.x}+{window.height - area.y - area.height}"
    frames = sorted(folder.glob("*.png"))
    shown = ["-delay", str(100 // SPEED), "-loop", "0", *frames, "-crop", cut, "+repage"]
    size = ["-resize", f"{WIDTH}x", "-strip", "-quality", str(QUALITY), "-define", "webp:method=6"]
    subprocess.run(["convert", *shown, *size, file], check=True)


def main():
    folder, file = Path(os.environ["FRAMES"]), Path(os.environ["RECORDING"])
    steps = record(folder)

    def step():
        code = 1
        try:
            return next(steps)
        except StopIteration:
            join(folder, file)
            code = 0
        except Exception:
            print_exc()
        sys.stdout.flush()
        os._exit(code)

    bpy.app.timers.register(step, first_interval=1.0)


main()
