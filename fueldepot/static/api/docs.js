// Shows the description by Swagger UI, an installed package. Without this script the page leads to the short one.
"use strict";

const place = document.getElementById("swagger");

// Swagger UI draws fields without a name, and boxes that scroll but cannot be reached by keys.
const complete = () => {
  for (const field of place.querySelectorAll(":is(select, textarea):not([aria-label])")) {
    const parameter = field.closest("[data-param-name]");
    const name = field.matches(".examples-select-element") ? "Example" : "Request body";
    field.setAttribute("aria-label", parameter ? parameter.dataset.paramName : name);
  }
  for (const box of place.querySelectorAll("pre:not([tabindex])")) box.tabIndex = 0;
};

async function show() {
  const description = await (await fetch(place.dataset.description)).json();
  // By whatever name the reader came, requests stay with this host: the policy allows no other.
  description.servers = [{ url: new URL(description.servers[0].url).pathname }];
  description.info.description = "";
  SwaggerUIBundle({
    spec: description,
    domNode: place,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    docExpansion: "list",
    // Its colours are too faint to read.
    syntaxHighlight: { activated: false },
    tryItOutEnabled: true,
    validatorUrl: null,
  });
  new MutationObserver(complete).observe(place, { childList: true, subtree: true });
}

show();
