// Copy buttons on programs.
import { say } from "./ask.js";

/** Puts a button beside every program of a page. */
export function copies(page) {
  for (const block of page.querySelectorAll("section.copy pre[data-language]")) {
    if (block.previousElementSibling?.matches("button.copying")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copying";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy the ${block.dataset.language} program`);
    button.addEventListener("click", async () => {
      const done = await navigator.clipboard.writeText(block.textContent).then(() => true, () => false);
      button.textContent = done ? "Copied" : "Select and copy it";
      say(button.textContent);
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.before(button);
  }
}
