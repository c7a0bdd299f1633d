# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawing as SVG."""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .drawing import Dot, Drawing, Line, Text

# Control characters, surrogates and the like, which names may have and XML may not, escaped or not.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_svg(drawing: Drawing) -> str:
    """Return the drawing as the text of an SVG file."""
    width, height = str(drawing.width), str(drawing.height)
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": width,
            "height": height,
            "viewBox": f"0 0 {width} {height}",
            "font-family": "sans-serif",
        },
    )
    SubElement(root, "title").text = drawing.title
    SubElement(root, "rect", {"width": width, "height": height, "fill": "white"})
    for shape in drawing.shapes:
        match shape:
            case Line():
                _line(root, shape)
            case Dot():
                _dot(root, shape)
            case Text():
                _text(root, shape)
    indent(root)
    return _NO_XML.sub("\ufffd", tostring(root, encoding="unicode")) + "\n"


def _line(parent: Element, line: Line) -> None:
    attributes = {
        "points": " ".join(f"{x:.2f},{y:.2f}" for x, y in line.points),
        "fill": "none",
        "stroke": line.colour,
        "stroke-width": f"{line.width:g}",
        "stroke-linejoin": "round",
    }
    if line.dash:
        attributes["stroke-dasharray"] = " ".join(f"{length:g}" for length in line.dash)
    SubElement(parent, "polyline", attributes)


def _dot(parent: Element, dot: Dot) -> None:
    x, y = dot.centre
    attributes = {"cx": f"{x:.2f}", "cy": f"{y:.2f}", "r": f"{dot.radius:g}", "fill": dot.colour}
    SubElement(parent, "circle", attributes)


def _text(parent: Element, text: Text) -> None:
    x, y = text.place
    attributes = {
        "x": f"{x:.2f}",
        "y": f"{y:.2f}",
        "font-size": f"{text.size:g}",
        "text-anchor": text.anchor,
        "fill": text.colour,
    }
    if text.upright:
        attributes["transform"] = f"rotate(-90 {x:.2f} {y:.2f})"
    SubElement(parent, "text", attributes).text = text.words
