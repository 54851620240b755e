// Suggestions while typing, and the reader's position. Without this file the search is a form and works all the same.
"use strict";

(() => {
  const WAIT_MS = 150;
  const POSITION = { timeout: 15000, maximumAge: 60000 };
  const DENIED = "Przeglądarka nie udostępniła położenia. Możesz na to pozwolić w jej ustawieniach albo wpisać nazwę miejscowości.";
  const UNKNOWN = "Nie udało się ustalić położenia. Wpisz nazwę miejscowości albo kod pocztowy.";
  const BEYOND = "To miejsce leży poza Polską albo poza granicami gmin, które znamy. Wpisz nazwę miejscowości lub kod pocztowy.";
  const FAILED = "Nie udało się znaleźć gminy. Spróbuj za chwilę albo wpisz nazwę miejscowości.";

  const counted = (number) => (number === 1 ? "1 podpowiedź" : `${number} podpowiedzi`);

  // A list below a field. link: whether a suggestion leads to its page; otherwise pick is called with it.
  const suggestBelow = (input, { link, pick }) => {
    const list = document.createElement("div");
    list.id = `${input.id}-suggestions`;
    list.className = "suggestions";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Podpowiedzi");
    list.hidden = true;
    input.parentElement.append(list);

    const count = document.createElement("p");
    count.className = "unseen";
    count.setAttribute("role", "status");
    count.setAttribute("aria-live", "polite");
    input.form.append(count);

    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": list.id,
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
    })) input.setAttribute(name, value);

    let timer = 0;
    let request = null;
    let chosen = -1;

    const choose = (number) => {
      list.children[chosen]?.setAttribute("aria-selected", "false");
      chosen = number;
      const option = list.children[chosen];
      if (option) {
        option.setAttribute("aria-selected", "true");
        option.scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", option.id);
      } else {
        input.removeAttribute("aria-activedescendant");
      }
    };

    const close = () => {
      clearTimeout(timer);
      request?.abort();
      choose(-1);
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      count.textContent = "";
    };

    const option = (place, number) => {
      const row = document.createElement(link ? "a" : "div");
      row.id = `${list.id}-${number}`;
      if (link) {
        row.href = place.url;
        row.tabIndex = -1;
      } else {
        row.addEventListener("click", () => {
          close();
          pick(place);
        });
      }
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", "false");
      const label = document.createElement("strong");
      label.textContent = place.label;
      const description = document.createElement("span");
      description.textContent = place.description;
      row.append(label, " ", description);
      return row;
    };

    const show = (places) => {
      choose(-1);
      list.replaceChildren(...places.map(option));
      list.hidden = places.length === 0;
      input.setAttribute("aria-expanded", String(!list.hidden));
      count.textContent = places.length ? `${counted(places.length)}. Wybierz strzałkami.` : "Brak podpowiedzi";
    };

    const suggest = async (text) => {
      request = new AbortController();
      const { signal } = request;
      try {
        const answer = await fetch(`${input.dataset.locations}?${new URLSearchParams({ q: text })}`, { signal });
        if (answer.ok) {
          const places = await answer.json();
          if (!signal.aborted) show(places);
          return;
        }
      } catch {
        // Aborted, offline or unreadable: the form is still there.
      }
      if (!signal.aborted) close();
    };

    input.addEventListener("input", () => {
      clearTimeout(timer);
      request?.abort();
      const text = input.value.trim();
      if (text.length < input.minLength) close();
      else timer = setTimeout(suggest, WAIT_MS, text);
    });

    input.addEventListener("keydown", (event) => {
      if (event.isComposing || list.hidden) return;
      const last = list.children.length - 1;
      if (event.key === "ArrowDown") choose(chosen < last ? chosen + 1 : 0);
      else if (event.key === "ArrowUp") choose(chosen > 0 ? chosen - 1 : last);
      else if (event.key === "Escape") close();
      else if (event.key === "Enter" && chosen >= 0) list.children[chosen].click();
      else return;
      event.preventDefault();
    });

    // A press on a suggestion would take the focus from the field, and with it the list, before it counts as a click.
    list.addEventListener("mousedown", (event) => event.preventDefault());
    input.addEventListener("blur", close);
  };

  // A form stays on its page: a suggestion fills in the name, and the code of its municipality unseen.
  const fill = (input) => {
    const { form } = input;
    const forget = () => form.querySelector("[type=hidden][name=teryt]")?.remove();
    input.addEventListener("input", forget);
    suggestBelow(input, {
      link: false,
      pick: ({ label, teryt }) => {
        forget();
        input.value = label;
        const code = document.createElement("input");
        Object.assign(code, { type: "hidden", name: "teryt", value: teryt });
        form.append(code);
        form.querySelector("select")?.focus();
      },
    });
  };

  const form = document.querySelector("form.search");
  if (form) suggestBelow(form.querySelector("[data-locations]"), { link: true });
  for (const input of document.querySelectorAll("main form:not(.search) [data-locations]")) fill(input);
  if (!form) return;

  const button = form.querySelector(".locate");
  const message = form.querySelector(".position");
  if (!("geolocation" in navigator)) return;
  button.hidden = false;

  const tell = (text) => {
    message.textContent = text;
  };
  // Firefox tells nothing where nobody answers its question: the button can be pressed again, and Back shows no waiting.
  addEventListener("pagehide", () => tell(""));

  const locate = async ({ coords }) => {
    // Four decimals are some ten metres, and the service asks for no more.
    const point = { lat: coords.latitude.toFixed(4), lon: coords.longitude.toFixed(4) };
    try {
      const answer = await fetch(`${form.dataset.locate}?${new URLSearchParams(point)}`);
      if (answer.ok) {
        const { url } = await answer.json();
        tell("");
        location.assign(form.dataset.fuel ? `${url}&paliwo=${form.dataset.fuel}` : url);
      } else {
        tell(answer.status === 400 || answer.status === 404 ? BEYOND : FAILED);
      }
    } catch {
      tell(FAILED);
    }
  };

  button.addEventListener("click", () => {
    tell("Ustalamy położenie…");
    const failed = ({ code, PERMISSION_DENIED }) => tell(code === PERMISSION_DENIED ? DENIED : UNKNOWN);
    navigator.geolocation.getCurrentPosition(locate, failed, POSITION);
  });
})();

// What is meant to be copied gets a button; without this file it is marked by hand.
for (const quote of navigator.clipboard ? document.querySelectorAll(".quote") : []) {
  const words = quote.querySelector("pre") ?? quote.querySelector("p");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "second", textContent: "Kopiuj" });
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(words.textContent);
      button.textContent = "Skopiowano";
    } catch {
      getSelection().selectAllChildren(words);
      button.textContent = "Przeglądarka odmówiła. Skopiuj zaznaczony tekst";
    }
  });
  words.after(button);
}
