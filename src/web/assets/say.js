// Announcements for screen readers.

let region;

/** Has a sentence read aloud. */
export function say(sentence) {
  if (!region) {
    region = document.createElement("p");
    region.className = "unseen";
    region.role = "status";
    document.body.append(region);
  }
  region.textContent = sentence;
}
