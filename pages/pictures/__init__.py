"""Pictures drawn on the server: maps, charts and time lines, as frozen objects full of coordinates.

Modules of plain functions, numbers in and a picture out; only `territory` knows where boundaries are kept. A template
of `templates/site/pages/pictures/` turns each into inline SVG with classes and presentation attributes alone, because
our Content-Security-Policy allows no inline style.

Every picture is `WIDTH` units wide: about the pixels of a phone held upright, so that sizes here are what a reader of
the smallest screen sees. Wider screens enlarge it by half at most (`pictures.css`).
"""
