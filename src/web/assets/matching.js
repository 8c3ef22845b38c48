// Known values that match a text, the best first. This file does not depend on the page.

/** Letters without case, accents and signs, so that "cafe" finds "Café" and "pc parts" finds "pc-parts". */
export const plain = (text) =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}/]+/gu, " ").trim();

/**
 * Entries ({ value, note, weight }) that have every word that was typed at the beginning of a word: those first whose last part
 * begins with it, then by weight.
 */
export function matches(typed, entries, most) {
  const wanted = plain(typed);
  if (wanted === "") return [];
  const words = wanted.split(/[ /]+/);
  const found = [];
  for (const entry of entries) {
    const path = plain(entry.value);
    const parts = path.split(/[ /]+/);
    if (!words.every((word) => parts.some((part) => part.startsWith(word)))) continue;
    const last = path.split("/").at(-1);
    found.push({ entry, rank: path === wanted ? 0 : last.startsWith(wanted) ? 1 : path.startsWith(wanted) ? 2 : 3 });
  }
  found.sort((one, next) => one.rank - next.rank || next.entry.weight - one.entry.weight);
  return found.slice(0, most).map(({ entry }) => entry);
}
