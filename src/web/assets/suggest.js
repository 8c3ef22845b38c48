// Suggestions while typing, from the free routes: an input becomes a combobox (ARIA 1.2) with a list under it.
import { matching } from "./matching.js";

const SHOWN_MAX = 8;
const PAUSE_MS = 150;

/** What the free routes know, by kind: the request for a country and what is typed, and the words in its answer. */
const SOURCES = {
  categories: {
    request: (country) => `/v1/public/categories?country=${country}&depth=9&limit=1000`,
    words: (answer) => answer.items.filter((item) => item.products > 0).map((item) => ({ value: item.slug, label: item.category_path })),
  },
  brands: {
    request: (country, typed) => `/v1/public/brands?country=${country}&limit=20&q=${encodeURIComponent(typed)}`,
    words: (answer) => answer.items.map((item) => ({ value: item.brand, label: `${item.brand} (${item.product_count})` })),
  },
  retailers: {
    request: (country) => `/v1/public/retailers?country=${country}`,
    words: (answer) => answer.items.map((item) => ({ value: item.retailer, label: item.retailer })),
  },
};

const kept = new Map();

/** Makes comboboxes of the inputs of a page that can be completed. */
export function suggestions(page) {
  for (const input of page.querySelectorAll("input[data-suggest]")) new Combobox(input);
}

async function known(kind, country, typed, signal) {
  const source = SOURCES[kind];
  const request = source.request(country, typed);
  if (!kept.has(request)) {
    const answer = await fetch(request, { signal });
    if (!answer.ok) return [];
    kept.set(request, source.words(await answer.json()));
  }
  return matching(kept.get(request), typed).slice(0, SHOWN_MAX);
}

class Combobox {
  constructor(input) {
    this.input = input;
    this.at = -1;
    this.list = document.createElement("ul");
    this.list.id = `l-${input.name}`;
    this.list.className = "suggestions";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", `Suggestions for ${input.name.replaceAll("_", " ")}`);
    this.list.hidden = true;
    this.count = document.createElement("p");
    this.count.className = "unseen";
    this.count.setAttribute("role", "status");
    input.after(this.list, this.count);
    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.list.id,
    })) {
      input.setAttribute(name, value);
    }
    input.addEventListener("input", () => this.later());
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    // The press would take the focus from the input before the click comes.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.choose(option);
    });
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), PAUSE_MS);
  }

  async look() {
    this.asked?.abort();
    this.asked = new AbortController();
    const typed = this.input.value.trim();
    if (typed === "") return this.close();
    const country = this.input.form?.elements.country?.value || "us";
    try {
      this.show(await known(this.input.dataset.suggest, country, typed, this.asked.signal));
    } catch (error) {
      if (error.name !== "AbortError") this.close();
    }
  }

  show(words) {
    if (words.length === 0 || document.activeElement !== this.input) return this.close();
    this.at = -1;
    this.list.replaceChildren(
      ...words.map(({ value, label }, number) => {
        const option = document.createElement("li");
        option.id = `${this.list.id}-${number}`;
        option.setAttribute("role", "option");
        option.setAttribute("aria-selected", "false");
        option.dataset.value = value;
        option.textContent = label;
        return option;
      }),
    );
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.input.removeAttribute("aria-activedescendant");
    this.count.textContent = `${words.length} suggestions`;
  }

  key(event) {
    const options = [...this.list.children];
    if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      this.close();
    } else if (event.key === "Enter" && this.at >= 0) {
      event.preventDefault();
      this.choose(options[this.at]);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) return this.look();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.mark((this.at + step + options.length + (this.at < 0 && step < 0 ? 1 : 0)) % options.length);
    }
  }

  mark(at) {
    this.at = at;
    [...this.list.children].forEach((option, number) => {
      option.setAttribute("aria-selected", String(number === at));
      if (number === at) option.scrollIntoView({ block: "nearest" });
    });
    this.input.setAttribute("aria-activedescendant", this.list.children[at].id);
  }

  choose(option) {
    this.input.value = option.dataset.value;
    this.close();
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  close() {
    clearTimeout(this.timer);
    this.asked?.abort();
    this.at = -1;
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.count.textContent = "";
  }
}
