// A map that can be moved, in the place of the drawn one, which stays until Leaflet and the outlines are there.
"use strict";

(() => {
  const holder = document.querySelector(".depot-map");
  if (!holder) return;
  const { tiles, origin, here } = holder.dataset;
  const { TARGET_PX, point, icon } = liveMap;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const draw = (areas) => {
    if (!areas) return;
    const box = document.createElement("div");
    box.className = "live-map";
    holder.querySelector("svg").before(box); // hidden on the screen, printed
    holder.classList.add("live");
    const { map, borders } = liveMap.make(box, "Mapa składów. Strzałki ją przesuwają, plus i minus zmieniają skalę.", areas, holder.dataset);

    const cards = [...document.querySelectorAll(".depots > li")];
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
      const marker = L.marker(at, { icon: icon("", pin.textContent), title: name });
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
    const marks = () => [...seen().map(({ marker }) => marker.getLatLng()), ...points.map(([at]) => at)];
    if (!tiles) liveMap.nameGround(map, areas.names.filter(([, , text]) => here || !/^\d/.test(text)), marks);
    for (const [at, kind] of points) L.marker(at, { icon: icon(kind), interactive: false, keyboard: false, zIndexOffset: 2000 }).addTo(map);
  };

  liveMap.whenSeen(holder, draw);

  const fold = holder.closest("details");
  const unfold = () => {
    if (location.hash === `#${fold.id}`) fold.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
