// What was typed into a form whose sending ended at the login page, or was refused with an old token of this browser,
// stands in its fields again on the page of the form; without a session that page asks for a login first.
"use strict";

(() => {
  const KEY = "desk-unsent";
  const LEFT_OUT = new Set(["password", "file", "submit", "button", "image", "reset"]);
  const user = document.querySelector("#user-tools strong")?.textContent ?? "";
  const page = location.pathname + location.search;
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");

  const isKept = (field) => field.name && !LEFT_OUT.has(field.type) && (field.type !== "hidden" || field.name === "opened");

  function restore(values) {
    for (const { name, value, checked } of values) {
      for (const field of document.getElementsByName(name)) {
        if (!isKept(field)) continue;
        if (Array.isArray(value)) for (const option of field.options) option.selected = value.includes(option.value);
        else if (checked === undefined) field.value = value;
        else if (field.value === value) field.checked = checked;
        field.dispatchEvent(new Event("change", { bubbles: true }));
      }
    }
    const list = document.createElement("ul");
    list.className = "messagelist";
    const item = document.createElement("li");
    item.className = "warning";
    item.textContent =
      "Sesja wygasła, zanim zapisaliśmy formularz. To, co wpisano, jest z powrotem w polach: sprawdź i wyślij jeszcze raz.";
    list.append(item);
    document.querySelector("#content").before(list);
  }

  const login = document.querySelector("#login-form");
  if (login || document.querySelector("#form-expired")) {
    if (!kept) return;
    sessionStorage.setItem(KEY, JSON.stringify({ ...kept, interrupted: true }));
    // To the page with the form, not where it was sent to.
    if (login) login.elements.next.value = kept.page;
    else location.replace(kept.page);
    return;
  }
  sessionStorage.removeItem(KEY);
  if (kept?.interrupted && kept.page === page && kept.user === user) restore(kept.values);

  document.addEventListener("submit", ({ target: form }) => {
    if (form.method !== "post" || form.id === "logout-form") return;
    const values = [...form.elements].filter(isKept).map(({ name, value, type, checked, selectedOptions }) => ({
      name,
      value: type === "select-multiple" ? Array.from(selectedOptions, (option) => option.value) : value,
      checked: type === "checkbox" || type === "radio" ? checked : undefined,
    }));
    sessionStorage.setItem(KEY, JSON.stringify({ page, user, values }));
  });
})();
