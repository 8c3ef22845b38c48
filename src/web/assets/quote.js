// Says what a request costs and what it was understood to be about, before it is sent: the quote of what the form says now,
// which is free.

const WAIT_MILLIS = 600;
const FREE = "/v1/public/";

/** Follows the forms below a node. */
export function quotes(root) {
  for (const form of root.querySelectorAll("form.ask[data-route]")) {
    if (!form.dataset.route.startsWith(FREE)) follow(form);
  }
}

function follow(form) {
  const line = document.createElement("p");
  line.className = "hint";
  line.role = "status";
  form.querySelector("button[type=submit]").after(line);
  let timer;
  let asking = new AbortController();
  form.addEventListener("change", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      asking.abort();
      asking = new AbortController();
      const { signal } = asking;
      line.textContent = await words(form, signal).catch(() => "");
    }, WAIT_MILLIS);
  });
}

async function words(form, signal) {
  const fields = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
  const request = `${form.dataset.route}?${new URLSearchParams(fields)}`;
  const response = await fetch(`/v1/public/quote?request=${encodeURIComponent(request)}`, { signal });
  return response.ok ? understood(await response.json()) : "";
}

/** A quote as a sentence. Where no way to pay is open the server answers for nothing. */
export function understood({ price, rails, product, resolved, brand }) {
  const about = product?.product_name ?? resolved?.category_path ?? brand;
  const cost = rails.length > 0 ? `Costs ${price.amount} ${price.currency}` : "Free here";
  return about ? `${cost}. Understood as: ${about}` : `${cost}.`;
}
