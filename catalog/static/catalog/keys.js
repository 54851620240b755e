// Keys of the desk: whatever has data-key is pressed by that key; "?" shows them all. Nothing happens while typing, or in a
// browser where they are turned off: a program that turns speech into keys would decide (WCAG 2.1.4). A key held down
// counts once: on the next page it would decide about an entry that nobody has seen.
"use strict";

(() => {
  const OFF = "desk-keys-off";
  const keyed = () => [...document.querySelectorAll("[data-key]")];
  const labelOf = (element) => (element.matches("input") ? element.value : element.textContent).trim();

  function showKeys() {
    const dialog = document.createElement("dialog");
    dialog.className = "keys";
    dialog.setAttribute("aria-label", "Klawisze");
    const list = document.createElement("dl");
    for (const [key, label] of [...keyed().map((e) => [e.dataset.key, labelOf(e)]), ["/", "Szukaj"], ["?", "Te klawisze"]]) {
      const name = document.createElement("dt");
      const kbd = document.createElement("kbd");
      kbd.textContent = key;
      name.append(kbd);
      const text = document.createElement("dd");
      text.textContent = label;
      list.append(name, text);
    }
    const form = document.createElement("form");
    form.method = "dialog";
    const close = document.createElement("button");
    close.className = "button";
    close.textContent = "Zamknij";
    close.autofocus = true;
    const works = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: !localStorage.getItem(OFF) });
    box.addEventListener("change", () => (box.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1")));
    works.append(box, " Klawisze działają");
    form.append(works, " ", close);
    dialog.append(list, form);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox], [type=radio], [type=submit], [type=button]), textarea, select, [contenteditable]");
    if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || localStorage.getItem(OFF)) return;
    if (event.key === "?") {
      showKeys();
    } else if (event.key === "/") {
      const field = document.querySelector("#searchbar");
      if (!field) return;
      field.focus();
    } else {
      const found = keyed().find((element) => element.dataset.key === event.key);
      if (!found) return;
      found.click();
    }
    event.preventDefault();
  });

  for (const button of document.querySelectorAll("[data-show-keys]")) {
    button.hidden = keyed().length === 0;
    button.addEventListener("click", showKeys);
  }
})();
