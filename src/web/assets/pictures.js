// Draws the figures of a page out of the answer that stands in it. Colours are the style sheet's own, so a change of the
// colour scheme needs nothing; a change of the width draws anew.

import { DRAWINGS } from "./drawings.js";

/** Marks of the key by name: the shapes that drawings use. */
const SWATCHES = {
  line: '<path d="M1 6H25" stroke-width="2"/>',
  dashed: '<path d="M1 6H25" stroke-width="2" stroke-dasharray="5 3"/>',
  thick: '<path d="M1 6H25" stroke-width="4"/>',
  band: '<path d="M4 6H22" stroke-width="8" stroke-opacity=".35" stroke-linecap="round"/>',
  drop: '<path d="M8 2H18L13 10Z" fill="currentColor"/>',
  dot: '<circle cx="13" cy="6" r="4.5" fill="currentColor"/>',
  ring: '<circle cx="13" cy="6" r="4.5" stroke-width="1.5"/>',
  diamond: '<path d="M13 0L19 6L13 12L7 6Z" fill="currentColor"/>',
  square: '<path d="M8 1H18V11H8Z" fill="currentColor"/>',
  box: '<path d="M7 1H19V11H7Z" stroke-width="1.5" fill="currentColor" fill-opacity=".2"/>',
  bar: '<path d="M3 2H23V10H3Z" fill="currentColor"/>',
  upright: '<path d="M13 0V12" stroke-width="2"/>',
  dotted: '<path d="M13 0V12" stroke-width="2" stroke-dasharray="3 3"/>',
  uprights: '<path d="M8 0V12M18 0V12" stroke-dasharray="3 2"/>',
};

let counted = 0;

/** Draws every figure below a node, and again whenever its width changes. */
export function pictures(root) {
  for (const figure of root.querySelectorAll("figure[data-picture]")) {
    const draw = DRAWINGS[figure.dataset.picture];
    const section = figure.closest("section");
    const data = section?.querySelector("script.answer");
    if (draw && data) picture(figure, section, draw, JSON.parse(data.textContent)).catch((fault) => failed(figure, fault));
  }
}

async function picture(figure, section, draw, answer) {
  const Plot = await import("./vendor/plot-0.6.17.js");
  const place = document.createElement("div");
  figure.append(place);
  const twin = section.querySelector(`table[data-rows="${CSS.escape(figure.dataset.rows ?? "")}"] caption`);
  if (twin) twin.id ||= `twin-${(counted += 1)}`;
  const show = (width) => {
    const drawing = draw(Plot, answer, width);
    figure.toggleAttribute("data-empty", drawing === null);
    place.replaceChildren(...(drawing === null ? [paragraph("The picture cannot be drawn: the figures are not known.")] : parts(drawing, twin?.id)));
  };
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(place.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    show(width);
  };
  redraw();
  const observer = new ResizeObserver(() => {
    if (figure.isConnected) requestAnimationFrame(redraw);
    else observer.disconnect();
  });
  observer.observe(place);
}

function parts({ plots, label, key, notes }, twin) {
  plots.forEach((plot, at) => {
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", at === 0 ? label : `${label} By period.`);
    if (twin) plot.setAttribute("aria-describedby", twin);
  });
  const keys = key.length === 0 ? [] : [keyOf(key)];
  return [...plots, ...keys, ...notes.filter(Boolean).map(paragraph)];
}

function keyOf(key) {
  const shown = paragraph("");
  shown.className = "key";
  for (const [swatch, colour, meaning] of key) {
    const entry = document.createElement("span");
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    mark.setAttribute("viewBox", "0 0 26 12");
    mark.setAttribute("aria-hidden", "true");
    mark.setAttribute("fill", "none");
    mark.setAttribute("stroke", "currentColor");
    mark.setAttribute("color", colour === "currentColor" ? "var(--text)" : colour);
    mark.innerHTML = SWATCHES[swatch];
    entry.append(mark, meaning);
    shown.append(entry);
  }
  return shown;
}

function paragraph(text) {
  const one = document.createElement("p");
  one.textContent = text;
  return one;
}

/** The table says the same, so a reader loses nothing. */
function failed(figure, fault) {
  figure.toggleAttribute("data-empty", true);
  figure.append(paragraph("The picture cannot be drawn here; the table has its figures."));
  console.error(fault);
}
