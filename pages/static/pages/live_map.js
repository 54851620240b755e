// What the map of depots (map.js) and that of one position (position.js) share.
"use strict";

window.liveMap = (() => {
  const TARGET_PX = 28;
  const point = (text) => text?.split(",").map(Number);
  const icon = (kind, text = "") => L.divIcon({ className: `marker ${kind}`, html: `<span class="pin">${text}</span>`, iconSize: [TARGET_PX, TARGET_PX] });

  const load = (tag, attributes) =>
    new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(tag), attributes);
      element.addEventListener("load", resolve);
      element.addEventListener("error", reject);
      document.head.append(element);
    });

  const read = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.status);
    return answer.json();
  };

  // Calls draw with the outlines, null without them, once the holder is seen: nothing is loaded for a map that is folded
  // or far down the page. Calls fail without Leaflet.
  const whenSeen = (holder, draw, fail = () => {}) => {
    const { leaflet, style, outlines } = holder.dataset;
    const watch = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      try {
        const [areas] = await Promise.all([
          outlines ? read(outlines).catch(() => null) : null,
          load("link", { rel: "stylesheet", href: style }),
          load("script", { src: leaflet }),
        ]);
        draw(areas);
      } catch (error) {
        console.info("no live map", error);
        fail();
      }
    });
    watch.observe(holder);
  };

  // Returns a map in the box, with tiles where the operator names a server, and the layer of the borders.
  const make = (box, label, areas, { tiles, credit }) => {
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", label);
    box.classList.toggle("tiles", Boolean(tiles));
    const moves = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    const map = L.map(box, {
      attributionControl: Boolean(tiles),
      scrollWheelZoom: false,
      zoomControl: false,
      zoomSnap: 0.5,
      zoomAnimation: moves,
      fadeAnimation: moves,
      markerZoomAnimation: moves,
    });
    L.control.zoom({ zoomInTitle: "Przybliż", zoomOutTitle: "Oddal" }).addTo(map);
    // A wheel over the map belongs to the page until somebody has chosen the map.
    map.on("focus", () => map.scrollWheelZoom.enable());
    map.on("blur", () => map.scrollWheelZoom.disable());
    if (tiles) {
      map.attributionControl.setPrefix(false);
      // Tile servers want to know which site asks; the page's own policy tells other machines nothing.
      L.tileLayer(tiles, { maxZoom: 19, attribution: credit, referrerPolicy: "strict-origin" }).addTo(map);
    }
    // A drawing without a name is read out as a picture of nothing.
    const ground = map.createPane("ground");
    ground.style.zIndex = 350;
    ground.setAttribute("aria-hidden", "true");
    const borders = L.geoJSON(areas, { pane: "ground", interactive: false, style: ({ properties }) => ({ className: properties.own ? "own" : "" }) });
    return { map, borders };
  };

  // The ground of a map without tiles: whole names, as many as have room, the most important first.
  // marks: returns the places of the marks that no name may touch.
  const nameGround = (map, names, marks) => {
    const pane = map.createPane("names");
    Object.assign(pane.style, { zIndex: 450, pointerEvents: "none" });
    pane.setAttribute("aria-hidden", "true");
    const labels = names.map(([lat, lon, text]) => {
      const html = Object.assign(document.createElement("span"), { textContent: text });
      const icon = L.divIcon({ className: "place-name", html, iconSize: [0, 0] });
      return L.marker([lat, lon], { pane: "names", icon, interactive: false, keyboard: false }).addTo(map);
    });
    const thin = () => {
      const taken = marks().map((place) => ({ ...map.latLngToContainerPoint(place), half: TARGET_PX / 2, high: TARGET_PX / 2 }));
      const { x: width, y: height } = map.getSize();
      for (const label of labels) {
        const { x, y } = map.latLngToContainerPoint(label.getLatLng());
        const name = label.options.icon.options.html;
        const half = 4 * name.textContent.length;
        const fits = (row) => x > half && x < width - half && row > 8 && row < height - 8;
        const isFree = (row) => taken.every((one) => Math.abs(one.x - x) > one.half + half || Math.abs(one.y - row) > one.high + 8);
        const shift = [0, 22, -22].find((pixels) => fits(y + pixels) && isFree(y + pixels));
        label.getElement().style.display = shift === undefined ? "none" : "";
        if (shift === undefined) continue;
        name.style.transform = `translate(-50%, calc(-50% + ${shift}px))`;
        taken.push({ x, y: y + shift, half, high: 8 });
      }
    };
    map.on("moveend", thin);
    thin();
  };

  return { TARGET_PX, point, icon, whenSeen, make, nameGround };
})();
