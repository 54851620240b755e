// The place of a depot: the browser's position, or a pin on a map, typed into the two fields. Without it they are typed by hand.
// At the desk another mark shows the stored place (data-before), a page without the fields a proposed one (data-after), and
// small marks lead to other entries (data-others).
"use strict";

(() => {
  const picker = document.querySelector(".position-picker");
  if (!picker) return;
  const [lat, lon] = ["lat", "lon"].map((name) => document.querySelector(`[name=${name}], [name^=value-][name$=-${name}]`));
  const { tiles, before, after } = picker.dataset;
  const others = JSON.parse(picker.dataset.others ?? "[]");
  const said = picker.querySelector(".said");
  const POLAND = [[49, 14.1], [54.9, 24.2]];

  const typed = () => {
    if (!lat || !lon) return liveMap.point(after ?? before);
    const found = [lat, lon].map((field) => (field.value.trim() ? Number(field.value.trim().replace(",", ".")) : NaN));
    return found.every(Number.isFinite) ? found : null;
  };
  const write = (at) => {
    for (const [field, degrees] of [[lat, at[0]], [lon, at[1]]])
      field.value = field.type === "number" ? degrees.toFixed(6) : degrees.toFixed(6).replace(".", ",");
    lat.closest("details")?.setAttribute("open", ""); // nothing is changed unseen
    for (const field of [lat, lon]) field.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const ask = picker.querySelector("button");
  ask?.addEventListener("click", () => {
    said.textContent = "Szukam Twojej pozycji…";
    const stood = lat.value + lon.value;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        if (lat.value + lon.value !== stood) {
          said.textContent = "Współrzędne zmieniły się w czasie szukania, więc Twojej pozycji nie wpisaliśmy.";
          return;
        }
        write([coords.latitude, coords.longitude]);
        said.textContent = `Wpisaliśmy Twoją pozycję, z dokładnością do ${Math.ceil(coords.accuracy)} m.`;
      },
      () => {
        said.textContent = "Przeglądarka nie podała pozycji. Wpisz współrzędne.";
      },
      { enableHighAccuracy: true, timeout: 15000, maximumAge: 0 },
    );
  });
  if (ask) ask.hidden = !navigator.geolocation;

  const draw = (areas) => {
    const label = `Mapa położenia składu. ${picker.querySelector(".by-map")?.textContent ?? ""}`.trim();
    const { map, borders } = liveMap.make(box, label, areas, picker.dataset);
    const at = typed();
    const stored = liveMap.point(before);
    const places = others.map(([north, east]) => [north, east]);
    const seen = after && stored ? [at, stored] : tiles ? [at] : [at, ...places]; // with tiles, streets matter more
    if (at) map.fitBounds(L.latLngBounds(seen).pad(0.2), { maxZoom: tiles ? 16 : seen.length > 1 ? 14 : 12 });
    else map.fitBounds(areas ? borders.getBounds() : POLAND);
    borders.addTo(map);
    for (const [number, [, , label, url]] of others.entries()) {
      // A press on it is none on the map, which would move the depot there.
      const mark = L.circleMarker(places[number], { className: "other", radius: 5, bubblingMouseEvents: false }).addTo(map);
      const element = mark.getElement();
      for (const [name, value] of [["role", "link"], ["tabindex", "0"], ["aria-label", label]]) element.setAttribute(name, value);
      mark.bindTooltip(document.createTextNode(label)).on("click", () => location.assign(url));
      element.addEventListener("keydown", ({ key }) => key === "Enter" && location.assign(url));
      element.addEventListener("focus", () => map.panInside(places[number], { padding: [20, 20] }));
    }

    // Nothing happens when a pin is pressed, so it is a picture; by keys the fields move it.
    const pinAt = (kind, place, title, options) => {
      const marker = L.marker(place, { icon: liveMap.icon(kind), title, keyboard: false, ...options });
      return marker.on("add", () => marker.getElement().setAttribute("role", "img"));
    };
    const name = after ? "Proponowane położenie" : "Położenie składu";
    const pin = pinAt("chosen", at ?? map.getCenter(), name, { draggable: Boolean(lat), zIndexOffset: 1000 });
    if (at) pin.addTo(map);
    if (stored) {
      pinAt("before", stored, "Zapisane położenie").addTo(map);
      const line = L.polyline([], { className: "moved", interactive: false }).addTo(map);
      const tell = () => {
        const end = map.hasLayer(pin) ? pin.getLatLng() : stored;
        const metres = Math.round(map.distance(stored, end));
        line.setLatLngs([stored, end]);
        said.textContent = metres ? `${picker.dataset.words || "Przesunięcie od zapisanego położenia"}: ${metres.toLocaleString("pl-PL", { useGrouping: "always" })} m.` : "";
      };
      pin.on("move add remove", tell);
      tell();
    }
    const marks = () => [...places, stored, map.hasLayer(pin) && pin.getLatLng()].filter(Boolean);
    if (areas && !tiles) liveMap.nameGround(map, areas.names, marks);
    if (!lat || !lon) return;
    const move = ({ lat: north, lng: east }) => write([north, east]);
    pin.on("dragend", () => move(pin.getLatLng()));
    map.on("click", ({ latlng }) => move(latlng));
    const follow = () => {
      const now = typed();
      if (!now) {
        pin.remove();
        return;
      }
      pin.setLatLng(now).addTo(map);
      if (!map.getBounds().contains(now)) map.setView(now, map.getZoom());
    };
    for (const field of [lat, lon]) field.addEventListener("change", follow);
  };

  picker.hidden = false;
  const box = picker.querySelector(".live-map");
  if (box) liveMap.whenSeen(picker, draw, () => {
    for (const element of picker.querySelectorAll(".live-map, .by-map")) element.remove();
  });
})();
