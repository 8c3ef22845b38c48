// Runs the forms of the explorer without loading a page: the page of the request is fetched as it is, and what it says takes
// the place of what is there. Back and forward lead through requests. Where anything fails the browser loads the page.

import { say } from "./say.js";

let running = new AbortController();
let shown = address(location);

/** Path and query: what a page is made of. */
function address({ pathname, search }) {
  return pathname + search;
}

/** Takes over the forms and links of this page that lead to the same form; `begin` prepares what was fetched. */
export function asks(begin) {
  const main = document.querySelector("main");
  main.addEventListener("submit", (event) => {
    if (!event.target.matches("form.ask")) return;
    event.preventDefault();
    go(target(event.target), begin, { isNew: true });
  });
  main.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin) return;
    if (link.pathname !== location.pathname || link.hash || !document.querySelector("form.ask")) return;
    event.preventDefault();
    go(link, begin, { isNew: true });
  });
  addEventListener("popstate", () => {
    if (address(location) !== shown) go(location, begin, { isNew: false });
  });
}

/** Where a form leads: its fields that are not empty. */
function target(form) {
  const fields = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
  const query = new URLSearchParams(fields).toString();
  // A form that was sent empty is a request too, and is told what it lacks.
  return new URL(`${form.getAttribute("action")}?${query}`, location.href);
}

async function go(to, begin, { isNew }) {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const busy = document.querySelectorAll("#outcome, form.ask button[type=submit]");
  busy.forEach((part) => part.setAttribute("aria-busy", "true"));
  try {
    const response = await fetch(to.href, { signal, headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const main = page.querySelector("main");
    if (signal.aborted) return;
    if (!main?.querySelector("form.ask")) throw new Error("no page of a form");
    if (isNew) history.pushState(null, "", to.href);
    shown = address(to);
    document.title = page.title;
    place(main, begin, isNew);
  } catch (fault) {
    if (signal.aborted) return;
    console.warn(fault);
    location.assign(to.href);
  }
}

function place(main, begin, isNew) {
  const old = document.querySelector("main");
  // Unfolded fields stay unfolded.
  const isOpen = old.querySelector("form.ask details")?.open;
  old.replaceChildren(...main.childNodes);
  if (isOpen) old.querySelector("form.ask details")?.setAttribute("open", "");
  begin(old);
  const outcome = old.querySelector("section.outcome");
  const title = outcome?.querySelector("h2");
  if (!title) return;
  say(`${title.textContent}. ${outcome.querySelector(".error, caption")?.textContent ?? ""}`);
  if (!isNew) return;
  const fault = old.querySelector("[aria-invalid=true]");
  if (!fault) title.tabIndex = -1;
  (fault ?? title).focus({ preventScroll: true });
  (fault ?? title).scrollIntoView({ block: fault ? "center" : "start" });
}
