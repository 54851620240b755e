// The place of a depot: the browser's position, or a pin on a map, typed into the two fields. Without it they are typed by hand.
// At the desk another mark shows the stored place (data-before), a page without the fields a proposed one (data-after), and
// small marks lead to other entries (data-others).
"use strict";

(() => {
  const picker = document.querySelector(".position-picker");
  if (!picker) return;
  const [lat, lon] = ["lat", "lon"].map((name) => document.querySelector(`[name=${name}], [name^=value-][name$=-${name}]`));
  const { leaflet, style, outlines, tiles, credit, before, after } = picker.dataset;
  const others = JSON.parse(picker.dataset.others ?? "[]");
  const point = (text) => text?.split(",").map(Number);
  const said = picker.querySelector(".said");
  const POLAND = [[49, 14.1], [54.9, 24.2]];

  const typed = () => {
    if (!lat || !lon) return point(after);
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

  const load = (tag, attributes) =>
    new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(tag), attributes);
      element.addEventListener("load", resolve);
      element.addEventListener("error", reject);
      document.head.append(element);
    });

  const draw = (areas) => {
    const box = picker.querySelector(".live-map");
    box.setAttribute("role", "region");
    const hint = lat ? " Naciśnij miejsce, w którym leży skład, albo przesuń znacznik." : "";
    box.setAttribute("aria-label", `Mapa położenia składu.${hint}`);
    if (tiles) box.classList.add("tiles");
    const map = L.map(box, { attributionControl: Boolean(tiles), scrollWheelZoom: false, zoomControl: false, zoomSnap: 0.5 });
    L.control.zoom({ zoomInTitle: "Przybliż", zoomOutTitle: "Oddal" }).addTo(map);
    map.on("focus", () => map.scrollWheelZoom.enable());
    map.on("blur", () => map.scrollWheelZoom.disable());
    if (tiles) {
      map.attributionControl.setPrefix(false);
      L.tileLayer(tiles, { maxZoom: 19, attribution: credit, referrerPolicy: "strict-origin" }).addTo(map);
    }
    const borders = areas && L.geoJSON(areas, { interactive: false, style: ({ properties }) => ({ className: properties.own ? "own" : "" }) });
    const at = typed();
    const stored = point(before);
    if (at && stored && after) map.fitBounds(L.latLngBounds([at, stored]).pad(0.5), { maxZoom: tiles ? 16 : 14 });
    else if (at) map.setView(at, tiles ? 16 : others.length ? 14 : 12);
    else if (others.length) map.fitBounds(L.latLngBounds(others).pad(0.1), { maxZoom: 14 });
    else map.fitBounds(borders ? borders.getBounds() : POLAND);
    if (borders) borders.addTo(map);
    for (const [north, east, label, url] of others) {
      const mark = L.circleMarker([north, east], { className: "other", radius: 5 }).addTo(map).bindTooltip(document.createTextNode(label));
      mark.on("click", () => location.assign(url));
    }
    if (areas && !tiles) window.nameGround?.(map, areas.names);

    const icon = L.divIcon({ className: "marker chosen", html: '<span class="pin"></span>', iconSize: [28, 28] });
    const name = after ? "Proponowane położenie" : "Położenie składu";
    const pin = L.marker(at ?? map.getCenter(), { icon, draggable: Boolean(lat), title: name, alt: name, zIndexOffset: 1000 });
    if (at) pin.addTo(map);
    if (stored) {
      const mark = L.divIcon({ className: "marker before", html: '<span class="pin"></span>', iconSize: [28, 28] });
      L.marker(stored, { icon: mark, title: "Zapisane położenie", alt: "Zapisane położenie", keyboard: false }).addTo(map);
      const line = L.polyline([stored, at ?? stored], { className: "moved", interactive: false }).addTo(map);
      const tell = () => {
        const metres = Math.round(map.distance(stored, pin.getLatLng()));
        line.setLatLngs([stored, pin.getLatLng()]);
        said.textContent = metres ? `${picker.dataset.words || "Przesunięcie od zapisanego położenia"}: ${metres.toLocaleString("pl-PL")} m.` : "";
      };
      pin.on("move", tell);
      tell();
    }
    if (!lat || !lon) return;
    const move = ({ lat: north, lng: east }) => write([north, east]);
    pin.on("dragend", () => move(pin.getLatLng()));
    map.on("click", ({ latlng }) => move(latlng));
    const follow = () => {
      const now = typed();
      if (!now) return;
      pin.setLatLng(now).addTo(map);
      if (!map.getBounds().contains(now)) map.setView(now, map.getZoom());
    };
    for (const field of [lat, lon]) field.addEventListener("change", follow);
  };

  picker.hidden = false;
  // Nothing is loaded for a map that nobody scrolls to.
  const watch = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    try {
      const areas = outlines ? fetch(outlines).then((answer) => (answer.ok ? answer.json() : null)) : null;
      const [read] = await Promise.all([areas, load("link", { rel: "stylesheet", href: style }), load("script", { src: leaflet })]);
      draw(read);
    } catch (error) {
      picker.querySelector(".live-map").remove();
      console.info("no map", error);
    }
  });
  if (picker.querySelector(".live-map")) watch.observe(picker);
})();
