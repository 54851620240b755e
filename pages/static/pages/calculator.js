// Between the pages of the calculator the browser's Back and Forward keep the answers, which stay in the memory of
// this document alone. Without this file the form works all the same, with its own button back.
"use strict";

(() => {
  const main = document.querySelector("main");
  const bodies = [];
  let place = 0;

  const show = async (body) => {
    const answer = await fetch(location.pathname, { method: "POST", body, headers: { Accept: "text/html" } });
    if (!answer.ok && answer.status !== 400) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    main.replaceChildren(...page.querySelector("main").childNodes);
    document.title = page.title;
    scrollTo({ top: 0, behavior: "instant" });
    (main.querySelector(".mistakes") ?? main).focus({ preventScroll: true });
  };

  // The page that is left, as its own answer: Back brings what was typed, sent or not.
  const keep = (form) => {
    const own = new URLSearchParams(new FormData(form));
    own.set("na", own.get("krok"));
    bodies[place] = own;
  };

  main.addEventListener("submit", async (event) => {
    const form = event.target.closest("form.calculator");
    if (!form || form.dataset.plain) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    keep(form);
    try {
      await show(body);
      bodies.length = place + 1;
      bodies.push(body);
      place += 1;
      history.pushState({ place }, "");
    } catch {
      form.dataset.plain = "1";
      form.requestSubmit(event.submitter);
    }
  });

  addEventListener("popstate", async (event) => {
    const form = main.querySelector("form.calculator");
    const target = event.state?.place ?? 0;
    if (!bodies[target]) return;
    keep(form);
    place = target;
    try {
      await show(bodies[place]);
    } catch {
      location.reload();
    }
  });
})();
