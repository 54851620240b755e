// Between the pages of the calculator the browser's Back and Forward keep the answers, which stay in the memory of
// this document alone. Without this file the form works all the same, with its own button back.
"use strict";

(() => {
  const main = document.querySelector("main");
  const bodies = [];
  let place = 0; // of the page that is shown
  let request = null;

  // Returns whether the page is shown: not if another one was asked for meanwhile.
  const show = async (body) => {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    let page;
    try {
      const answer = await fetch(location.pathname, { method: "POST", body, signal, headers: { Accept: "text/html" } });
      if (!answer.ok && answer.status !== 400) throw new Error(answer.statusText);
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
    main.replaceChildren(...page.querySelector("main").childNodes);
    document.title = page.title;
    scrollTo({ top: 0, behavior: "instant" });
    (main.querySelector(".mistakes") ?? main).focus({ preventScroll: true });
    return true;
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
      if (!(await show(body))) return;
      bodies.length = place + 1;
      bodies.push(body);
      place += 1;
      history.pushState({ place }, "");
    } catch {
      form.dataset.plain = "1";
      form.requestSubmit(event.submitter);
    }
  });

  history.replaceState({ place }, "");

  addEventListener("popstate", async ({ state }) => {
    // A link within the page, as those to the mistakes, leaves it as it is.
    if (!state) {
      history.replaceState({ place }, "");
      return;
    }
    request?.abort();
    if (state.place === place || !bodies[state.place]) return;
    keep(main.querySelector("form.calculator"));
    try {
      if (await show(bodies[state.place])) place = state.place;
    } catch {
      location.reload();
    }
  });
})();
