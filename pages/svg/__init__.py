"""SVG maps, charts and timelines, computed on the server as frozen objects of coordinates.

Pure functions; only `cached_maps` reads the snapshot. Templates of `templates/site/pages/svg/` render them as inline
SVG, with classes and presentation attributes only, because the Content-Security-Policy forbids inline styles.

Every picture is `WIDTH` units wide, about the pixels of a phone in portrait, so sizes are those on the smallest screen.
Wider screens enlarge a picture; `site.css` then makes the letters of charts smaller.
"""
