// Suggestions while typing, as a combobox with a list: the values come from the free routes, so nobody pays for them.

import { matches } from "./matching.js";
import { say } from "./say.js";

const WAIT_MILLIS = 150;
const MOST = 10;
/** The category tree comes in pages of so many, and no more pages than that are fetched. */
const PAGE = 1000;
const PAGES_MAX = 5;

/** Answers that do not change while a page is looked at, by address. */
const kept = new Map();

async function fetched(request, signal) {
  const response = await fetch(`/v1/public/${request}`, { signal, headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${request}: ${response.status}`);
  return response.json();
}

function once(address, find) {
  if (!kept.has(address)) {
    const found = find();
    found.catch(() => kept.delete(address));
    kept.set(address, found);
  }
  return kept.get(address);
}

async function categories(query) {
  const all = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { items, total } = await fetched(`categories?${query}&depth=3&limit=${PAGE}&offset=${all.length}`);
    all.push(...items.map(({ slug, products }) => ({ value: slug, note: `${products} products`, weight: products })));
    if (items.length === 0 || all.length >= total) break;
  }
  return all;
}

/** Values for what was typed, by the word in `data-suggest`. */
const SOURCES = {
  async categories(typed, country) {
    const roots = await once(`categories ${country}`, () => categories(country));
    // Below the third level the tree is asked for by its parent.
    const parent = typed.split("/").slice(0, -1).join("/");
    const deeper = parent.split("/").length < 3 ? [] : await once(`categories ${country} ${parent}`, () => categories(`${country}&parent=${encodeURIComponent(parent)}`));
    return matches(typed, [...deeper, ...roots], MOST);
  },
  async retailers(typed, country) {
    const { items } = await once(`retailers ${country}`, () => fetched(`retailers?${country}`));
    const entries = items.map(({ retailer, product_count, quality_status }) => ({ value: retailer, note: `${product_count} products, ${quality_status}`, weight: product_count }));
    return matches(typed, entries, MOST);
  },
  /** Words of a product search: brands, and categories by their last name. */
  async words(typed, country, signal) {
    const known = await Promise.allSettled([SOURCES.brands(typed, country, signal), SOURCES.categories(typed, country)]);
    const [brands, found] = known.map(({ value }) => value ?? []);
    const categories = found.map(({ value, note }) => ({ value: value.split("/").at(-1).replaceAll("-", " "), note: `category, ${note}` }));
    const named = brands.map(({ value, note }) => ({ value, note: `brand, ${note}` }));
    return [...named.slice(0, MOST - 4), ...categories].slice(0, MOST);
  },
  async brands(typed, country, signal) {
    const { items } = await fetched(`brands?${country}&q=${encodeURIComponent(typed)}&limit=${MOST}`, signal);
    return items.map(({ brand, product_count }) => ({ value: brand, note: `${product_count} products` }));
  },
};

/** Gives suggestions to every field below a node that asks for them. */
export function suggestions(root) {
  for (const input of root.querySelectorAll("input[data-suggest]")) {
    const source = SOURCES[input.dataset.suggest];
    if (source) combobox(input, source);
  }
}

function combobox(input, source) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.id = `${input.id}-list`;
  list.role = "listbox";
  list.hidden = true;
  list.setAttribute("aria-label", `Suggestions for ${input.name.replaceAll("_", " ")}`);
  input.after(list);
  input.role = "combobox";
  input.autocomplete = "off";
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  let options = [];
  let active = -1;
  let timer;
  let asking = new AbortController();

  const show = (entries) => {
    active = -1;
    options = entries.map(({ value, note }, at) => option(list.id, at, value, note));
    list.replaceChildren(...options);
    list.hidden = options.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
  };
  const close = () => {
    clearTimeout(timer);
    asking.abort();
    show([]);
  };
  const move = (to) => {
    options[active]?.setAttribute("aria-selected", "false");
    active = (to + options.length) % options.length;
    options[active].setAttribute("aria-selected", "true");
    options[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[active].id);
  };
  const choose = (at) => {
    input.value = options[at].dataset.value;
    close();
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const ask = async () => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const typed = input.value.trim();
    if (typed === "") return show([]);
    const country = input.form?.elements.namedItem("country")?.value;
    try {
      const entries = await source(typed, country ? `country=${encodeURIComponent(country)}` : "", signal);
      if (signal.aborted || document.activeElement !== input) return;
      show(entries);
      say(entries.length === 0 ? "No suggestions" : `${entries.length} suggestions`);
    } catch {
      // Without suggestions the field is a field.
      if (!signal.aborted) show([]);
    }
  };

  show([]);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT_MILLIS);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && options.length === 0) ask();
    else if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp" && options.length > 0) move(active < 0 ? options.length - 1 : active - 1);
    else if (event.key === "Enter" && active >= 0) choose(active);
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  // The field keeps the focus, so that its list stays open until the click is there.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const at = options.indexOf(event.target.closest("[role=option]"));
    if (at >= 0) choose(at);
  });
}

function option(list, at, value, note) {
  const one = document.createElement("li");
  one.id = `${list}-${at}`;
  one.role = "option";
  one.setAttribute("aria-selected", "false");
  one.dataset.value = value;
  const name = document.createElement("span");
  name.textContent = value;
  const small = document.createElement("small");
  small.textContent = note;
  one.append(name, small);
  return one;
}
