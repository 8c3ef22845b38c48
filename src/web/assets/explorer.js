// Additions of scripts to a page with forms and answers. Every page is whole without them.

import { asks } from "./ask.js";
import { copies } from "./copy.js";
import { pictures } from "./pictures.js";
import { quotes } from "./quote.js";
import { suggestions } from "./suggest.js";

function begin(root) {
  pictures(root);
  suggestions(root);
  quotes(root);
  copies(root);
}

begin(document);
asks(begin);
