// Buttons that copy programs.

import { say } from "./say.js";

const SHOWN_MILLIS = 2000;

/** Puts a button before every program below a node. */
export function copies(root) {
  for (const program of root.querySelectorAll(".copy pre[data-language]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${program.dataset.language}`);
    button.addEventListener("click", async () => {
      const done = await copy(program.querySelector("code") ?? program);
      button.textContent = done ? "Copied" : "Select and copy";
      say(done ? "Copied" : "The text could not be copied; it is selected.");
      setTimeout(() => { button.textContent = "Copy"; }, SHOWN_MILLIS);
    });
    program.before(button);
  }
}

/** Without a safe connection browsers have no clipboard for pages: then the text is selected. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}
