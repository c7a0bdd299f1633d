"""Measurements of Superpose beside Blender's own solvers. Run: ``python -m benchmarks [part ...]``."""
