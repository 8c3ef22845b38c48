// Asks without a new page: the same address is fetched, and what it says of the question takes the place of what stands
// here. Back and forward lead through what was asked.

const PARTS = ["#outcome", "section.copy", "p.price"];

let running = null;

/** Has the form of the page ask in place; `renewed` is called with what came. */
export function asksInPlace(renewed) {
  const form = document.querySelector("form.ask");
  if (!form) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(addressOf(form), true, renewed);
  });
  document.addEventListener("click", (event) => {
    const next = event.target.closest?.("#outcome a.next");
    if (!next || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    show(next.href, true, renewed);
  });
  addEventListener("popstate", () => show(location.href, false, renewed));
  quoteBeforeAsking(form);
}

function addressOf(form) {
  const given = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
  const query = new URLSearchParams(given).toString();
  return `${form.getAttribute("action")}?${query}`;
}

async function show(address, isNew, renewed) {
  running?.abort();
  running = new AbortController();
  const outcome = document.querySelector("#outcome");
  outcome.setAttribute("aria-busy", "true");
  say("Asking …");
  try {
    const answer = await fetch(address, { signal: running.signal, headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!page.querySelector("#outcome")) throw new Error("not a page of the explorer");
    if (isNew) history.pushState(null, "", address);
    take(page);
    renewed(document);
    const title = document.querySelector("#outcome-title");
    say(title ? title.textContent : "");
    if (isNew) title?.scrollIntoView({ block: "nearest" });
  } catch (error) {
    // Without scripts the same address is a page.
    if (error.name !== "AbortError") location.assign(address);
  } finally {
    document.querySelector("#outcome")?.removeAttribute("aria-busy");
  }
}

/** Takes over from a page of the same route what depends on the question. */
function take(page) {
  const form = document.querySelector("form.ask");
  const fresh = page.querySelector("form.ask");
  if (form.isEqualNode(fresh) === false) {
    for (const field of fresh.querySelectorAll(".field")) {
      const id = field.querySelector("[name]").id;
      const here = document.getElementById(id);
      const from = field.querySelector("[name]");
      if (from.type === "checkbox") here.checked = from.hasAttribute("checked");
      else here.value = from.value;
      const error = here.closest(".field").querySelector(".error");
      const newError = field.querySelector(".error");
      error?.remove();
      if (newError) here.closest(".field").querySelector(".hint").before(newError);
      for (const name of ["aria-invalid", "aria-describedby"]) {
        const value = from.getAttribute(name);
        if (value === null) here.removeAttribute(name);
        else here.setAttribute(name, value);
      }
    }
  }
  for (const part of PARTS) {
    const [here, there] = [document.querySelector(part), page.querySelector(part)];
    if (here && there) here.replaceWith(there);
    else if (there) document.querySelector("#outcome").after(there);
    else here?.remove();
  }
}

/** A line for screen readers. */
export function say(text) {
  let line = document.querySelector("#said");
  if (!line) {
    line = document.createElement("p");
    line.id = "said";
    line.className = "unseen";
    line.setAttribute("role", "status");
    document.body.append(line);
  }
  line.textContent = text;
}

/** Tells under the button what the request of the form costs here and what it is understood to be about. */
function quoteBeforeAsking(form) {
  const route = form.dataset.route;
  if (!document.querySelector("p.price")?.textContent.startsWith("Costs")) return;
  const line = document.createElement("p");
  line.className = "quote hint";
  line.setAttribute("role", "status");
  form.append(line);
  let timer;
  let asked;
  const quote = async () => {
    asked?.abort();
    asked = new AbortController();
    const query = addressOf(form).split("?")[1];
    try {
      const request = encodeURIComponent(`${route}?${query}`);
      const answer = await fetch(`/v1/public/quote?request=${request}`, { signal: asked.signal });
      const said = await answer.json();
      line.textContent = answer.ok ? quoted(said) : said.detail;
    } catch (error) {
      if (error.name !== "AbortError") line.textContent = "";
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(quote, 500);
  });
}

function quoted({ price, product, resolved, brand }) {
  const about = product?.product_name ?? resolved?.category_path ?? brand;
  return `Costs ${price.amount} ${price.currency}${about ? `, about ${about}` : ""}.`;
}
