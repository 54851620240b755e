// A map that can be moved, in the place of the drawn one. Without this file, and until Leaflet is there, the drawn one stays.
"use strict";

// The ground of a map without tiles: whole names, as many as have room, the most important first. For position.js too.
// marks: returns the middles of the marks that no name may touch, in pixels of the map.
window.nameGround = (map, names, marks = () => []) => {
  const pane = map.createPane("names");
  Object.assign(pane.style, { zIndex: 450, pointerEvents: "none" });
  pane.setAttribute("aria-hidden", "true");
  const labels = names.map(([lat, lon, text]) => {
    const html = Object.assign(document.createElement("span"), { textContent: text });
    const icon = L.divIcon({ className: "place-name", html, iconSize: [0, 0] });
    return L.marker([lat, lon], { pane: "names", icon, interactive: false, keyboard: false }).addTo(map);
  });
  const thin = () => {
    const taken = marks().map(({ x, y }) => ({ x, y, half: 14, high: 14 }));
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

(() => {
  const holder = document.querySelector(".depot-map");
  if (!holder) return;
  const { leaflet, style, outlines, tiles, credit, origin, here } = holder.dataset;
  const TARGET_PX = 28;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const point = (text) => text.split(",").map(Number);

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

  const mark = (kind, text) => L.divIcon({ className: `marker ${kind}`, html: `<span class="pin">${text}</span>`, iconSize: [TARGET_PX, TARGET_PX] });

  const draw = (areas) => {
    const box = document.createElement("div");
    box.className = tiles ? "live-map tiles" : "live-map";
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Mapa składów. Strzałki ją przesuwają, plus i minus zmieniają skalę.");
    holder.querySelector("svg").before(box); // hidden on the screen, printed
    holder.classList.add("live");

    const map = L.map(box, {
      attributionControl: Boolean(tiles),
      scrollWheelZoom: false,
      zoomControl: false,
      zoomSnap: 0.5,
      zoomAnimation: !still,
      fadeAnimation: !still,
      markerZoomAnimation: !still,
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

    const cards = [...document.querySelectorAll(".depots > li")];
    const borders = L.geoJSON(areas, { interactive: false, style: ({ properties }) => ({ className: properties.own ? "own" : "" }) });
    const shown = L.latLngBounds([]);
    if (here) {
      shown.extend(L.latLng(point(here)).toBounds(6000));
    } else {
      for (const layer of borders.getLayers()) if (layer.feature.properties.own) shown.extend(layer.getBounds());
      for (const card of cards) if (card.closest(".first")) shown.extend(point(card.dataset.at));
      if (origin) shown.extend(point(origin));
    }
    // Markers have no elements before the map shows a part of the world.
    map.fitBounds(shown, { padding: [20, 20], maxZoom: 14 });
    borders.addTo(map);

    // Markers that would cover a target are dots, and no targets, until the scale parts them; the list has them all.
    const pairs = [];
    let current = null;
    const spread = () => {
      const taken = [];
      for (const one of [...pairs].sort((a, b) => (b === current) - (a === current))) {
        const at = map.latLngToLayerPoint(one.marker.getLatLng());
        const free = taken.every((other) => other.distanceTo(at) >= TARGET_PX);
        if (free) taken.push(at);
        const element = one.marker.getElement();
        element.classList.toggle("under", !free);
        one.marker.setZIndexOffset(free ? 1000 : 0);
        element.tabIndex = free ? 0 : -1;
        element.setAttribute("aria-hidden", String(!free));
      }
    };

    const choose = (chosen) => {
      for (const element of document.querySelectorAll(".depots .chosen, .marker.chosen")) element.classList.remove("chosen");
      chosen.card.classList.add("chosen");
      chosen.marker.getElement().classList.add("chosen");
      current = chosen;
      spread();
    };

    for (const card of cards) {
      const pin = card.querySelector(".pin");
      const link = card.querySelector("h3 a");
      const at = point(card.dataset.at);
      const name = `${pin.textContent}. ${link.textContent}`;
      const marker = L.marker(at, { icon: mark("", pin.textContent), title: name });
      marker.addTo(map).getElement().setAttribute("aria-label", name);
      const both = { card, marker };
      pairs.push(both);
      const goToCard = () => {
        choose(both);
        card.closest("details")?.setAttribute("open", "");
        card.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
        link.focus({ preventScroll: true });
      };
      marker.on("click", goToCard);
      // Leaflet makes a click of the Enter key for pop-ups only.
      marker.getElement().addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        goToCard();
      });

      const button = document.createElement("button");
      button.type = "button";
      button.className = "pin";
      button.textContent = pin.textContent;
      // The heading around it has the name already.
      button.setAttribute("aria-label", `Pokaż na mapie: ${pin.textContent}`);
      button.addEventListener("click", () => {
        map.setView(at, Math.max(map.getZoom(), 12), { animate: false });
        choose(both);
        box.scrollIntoView({ block: "nearest" });
        marker.getElement().focus({ preventScroll: true });
      });
      pin.replaceWith(button);
      for (const [event, on] of [["mouseenter", true], ["focusin", true], ["mouseleave", false], ["focusout", false]])
        card.addEventListener(event, () => marker.getElement().classList.toggle("chosen", on || card.classList.contains("chosen")));
    }

    map.on("zoomend", spread);
    spread();
    const seen = () => pairs.filter(({ marker }) => !marker.getElement().classList.contains("under"));
    const points = [[origin, "origin"], [here, "here"]].filter(([place]) => place).map(([place, kind]) => [point(place), kind]);
    const marks = () => [...seen().map(({ marker }) => marker.getLatLng()), ...points.map(([at]) => at)].map((at) => map.latLngToContainerPoint(at));
    if (!tiles) window.nameGround(map, areas.names.filter(([, , text]) => here || !/^\d/.test(text)), marks);
    for (const [at, kind] of points) L.marker(at, { icon: mark(kind, ""), interactive: false, keyboard: false, zIndexOffset: 2000 }).addTo(map);
  };

  // Nothing is loaded for a map that nobody sees: folded, or below the list on a phone.
  const watch = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    try {
      const [areas] = await Promise.all([
        read(outlines),
        load("link", { rel: "stylesheet", href: style }),
        load("script", { src: leaflet }),
      ]);
      draw(areas);
    } catch (error) {
      console.info("the drawn map stays", error);
    }
  });
  watch.observe(holder);

  const fold = holder.closest("details");
  const unfold = () => {
    if (location.hash === `#${fold.id}`) fold.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
