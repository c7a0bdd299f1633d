# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plot of convergence: places that follow the values, an SVG that parses, pixels where the shapes are."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.comparison import Drawing, Trace, convergence_plot, to_pixels, to_svg
from solvers.comparison.convergence import Axis
from solvers.comparison.drawing import Dot, Line, Text

SVG = "{http://www.w3.org/2000/svg}"


def falling(label, rate=0.1, points=6):
    steps = np.arange(1.0, points + 1)
    return Trace(label, steps, 1e-3 * steps, rate**steps)


def plot(*traces):
    return convergence_plot(traces or [falling("one"), falling("two", 0.5)], "Title & <more>", "m")


def curves(drawing, colour="#0072b2"):
    """The lines of a colour that are no part of the legend."""
    lines = [shape for shape in drawing.shapes if isinstance(shape, Line) and shape.colour == colour]
    return lines[:2]


@given(
    decades=st.tuples(st.integers(-12, 3), st.integers(1, 9)),
    shares=st.lists(st.floats(0, 1), min_size=2, max_size=9),
)
def test_an_axis_keeps_the_order_and_the_ratios_of_values(decades, shares):
    low, count = decades
    axis = Axis(low, low + count, 100.0, 500.0)
    places = axis.place(10.0 ** (low + count * np.sort(shares)))
    assert np.allclose(places, 100 + 400 * np.sort(shares), atol=1e-6)
    assert (axis.place(np.array([0.0, 1e300])) == [100.0, 500.0]).all()


@given(low=st.integers(-250, 250), count=st.integers(1, 40))
def test_an_axis_has_between_two_and_nine_words(low, count):
    places, words = zip(*Axis(low, low + count, 0.0, 1.0).ticks(), strict=True)
    assert 2 <= len(words) <= 9
    assert np.allclose(np.log10([float(word) for word in words]), low + count * np.array(places))


def test_curves_go_down_and_to_the_right():
    for line in curves(plot()):
        x, y = np.array(line.points).T
        assert (np.diff(x) > 0).all()
        assert (np.diff(y) > 0).all()  # y points down


def test_values_that_vanish_are_drawn_at_the_bottom():
    vanishing = Trace("vanishing", np.array([1.0, 2.0]), np.array([0.0, 1e-3]), np.array([1.0, 0.0]))
    for line in curves(plot(vanishing)):
        assert np.isfinite(line.points).all()


def test_a_single_run_is_a_dot():
    single = Trace("single", np.array([1.0]), np.array([1e-3]), np.array([0.5]))
    drawing = plot(single)
    assert sum(isinstance(shape, Dot) for shape in drawing.shapes) == 3  # two panels and the legend


def test_a_plot_holds_together_in_its_frame():
    many = [falling(f"solver {number}", 0.9 / (number + 1)) for number in range(18)]
    drawing = plot(*many)
    places = {Line: lambda line: line.points, Dot: lambda dot: [dot.centre], Text: lambda text: [text.place]}
    points = [point for shape in drawing.shapes for point in places[type(shape)](shape)]
    assert (np.array(points) >= 0).all()
    assert (np.array(points) <= [drawing.width, drawing.height]).all()
    styles = {(s.colour, s.dash) for s in drawing.shapes if isinstance(s, Line) and s.width > 2}
    assert len(styles) == 18  # no two look alike


def test_the_svg_parses_and_says_all_that_is_drawn():
    drawing = plot()
    root = ElementTree.fromstring(to_svg(drawing))
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title").text == "Title & <more>"
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert words == [shape.words for shape in drawing.shapes if isinstance(shape, Text)]
    assert {"Title & <more>", "Iterations", "Time (milliseconds)", "RMSD left (m)", "one", "two"} <= set(
        words
    )
    lines = [shape for shape in drawing.shapes if isinstance(shape, Line)]
    for element, line in zip(root.iter(f"{SVG}polyline"), lines, strict=True):
        places = [[float(part) for part in pair.split(",")] for pair in element.get("points").split()]
        assert np.allclose(places, line.points, atol=0.006)


def test_the_svg_parses_whatever_is_written():
    """Blender's names may have control characters, and halves of what takes two in UTF-16."""
    root = ElementTree.fromstring(to_svg(Drawing(9, 9, (), "a\x00b\x1b[c\ufffe\ud800 \U0001f600\u202e")))
    assert root.find(f"{SVG}title").text == "a\ufffdb\ufffd[c\ufffd\ufffd \U0001f600\u202e"


def no_letters(_words):
    return np.empty((0, 3, 2))


def test_pixels_are_dark_where_a_line_goes_and_white_elsewhere():
    drawing = Drawing(40, 20, (Line(((5.0, 10.0), (35.0, 10.0)), "#000000", 2.0),))
    picture = to_pixels(drawing, no_letters)
    assert picture.shape == (20, 40, 3)
    assert np.allclose(picture[9:11, 6:34], 0)
    assert np.allclose(picture[:8], 1)
    assert np.allclose(picture[12:], 1)
    ink = (1 - picture[..., 0]).sum()
    assert ink == pytest.approx(30 * 2 + np.pi, rel=0.1)  # with round ends


def test_dashes_cover_their_share():
    whole = Line(((0.0, 10.0), (200.0, 10.0)), "#ff0000", 2.0)
    dashed = Line(whole.points, whole.colour, whole.width, (6.0, 14.0))
    ink = [(1 - to_pixels(Drawing(200, 20, (line,)), no_letters)[..., 1]).sum() for line in (whole, dashed)]
    assert ink[1] / ink[0] == pytest.approx((6 + np.pi / 2) / 20, rel=0.15)


@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
@pytest.mark.parametrize("upright", [False, True])
def test_letters_lie_where_the_text_is(anchor, upright):
    square = np.array([[[0, 0], [2, 0], [2, 1]], [[0, 0], [2, 1], [0, 1]]], float)  # two units wide, one high
    text = Text((30.0, 30.0), "words", 10.0, anchor, "#000000", upright)
    ink = 1 - to_pixels(Drawing(60, 60, (text,)), lambda _: square)[..., 0]
    assert ink.sum() == pytest.approx(200, rel=0.02)
    before = {"start": 10.0, "middle": 0.0, "end": -10.0}[anchor]
    x_wanted, y_wanted = (25.0, 30.0 - before) if upright else (30.0 + before, 25.0)
    y, x = (np.average(axis + 0.5, weights=ink) for axis in np.mgrid[:60, :60])
    assert (x, y) == pytest.approx((x_wanted, y_wanted), abs=0.2)


def test_triangles_of_letters_have_as_much_ink_as_area_and_none_twice(rng):
    text = Text((10.0, 50.0), "words", 10.0, "start", "#000000")

    def ink(triangles):
        return (1 - to_pixels(Drawing(60, 60, (text,)), lambda _: triangles)[..., 0]).sum()

    for triangle in rng.uniform(0, 4, (20, 1, 3, 2)):
        (x, y), (u, v) = triangle[0, 1:] - triangle[0, 0]
        assert ink(triangle) == pytest.approx(50 * abs(x * v - y * u), rel=0.02, abs=2)
        assert ink(np.concatenate([triangle, triangle])) == ink(triangle)


def test_a_plot_of_nothing_says_so_in_words():
    drawing = convergence_plot([], "Title", "m")
    assert [type(shape) for shape in drawing.shapes] == [Text, Text]
    assert "nothing to follow" in to_svg(drawing)
