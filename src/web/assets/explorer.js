// What scripts add to the pages of answers: pictures, suggestions, copying, and asking without a new page. Without this
// file everything works all the same.
import { asksInPlace } from "./ask.js";
import { copies } from "./copy.js";
import { pictures } from "./pictures.js";
import { suggestions } from "./suggest.js";

suggestions(document);
pictures(document);
copies(document);
asksInPlace((page) => {
  pictures(page);
  copies(page);
});
