// Which words go with what is typed.

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Those whose label has everything that is typed, what begins with it first; otherwise in their order. */
export function matching(words, typed) {
  const wanted = folded(typed).split(/[\s/>]+/).filter(Boolean);
  const rank = ({ label, value }) => {
    const text = folded(`${label} ${value}`);
    if (!wanted.every((word) => text.includes(word))) return Infinity;
    const last = folded(label).split(" > ").at(-1);
    return last.startsWith(wanted[0] ?? "") ? 0 : 1;
  };
  const ranked = words.map((word, at) => ({ word, at, rank: rank(word) })).filter(({ rank }) => rank < Infinity);
  ranked.sort((one, other) => one.rank - other.rank || one.at - other.at);
  return ranked.map(({ word }) => word);
}
