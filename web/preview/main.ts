// A site with an agent in it, for the console's view that shares it: the elements are those of the code that the view
// shows. The fragment of the address names the choices; the page makes nothing else.

import { embeddingTags, readChoice } from "../shared/embedding.ts";
import { findElement } from "../shared/find-element.ts";

const choice = readChoice(location.hash.slice(1));
const service = new URL("./", location.href.replace(/[?#].*$/, ""));
for (const { name, attributes } of choice ? embeddingTags(choice, service) : []) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    // The policy allows no style attributes, and the same as properties.
    if (key === "style") element.style.cssText = value;
    else element.setAttribute(key, value);
  }
  findElement("site", HTMLElement).append(element);
}
// Other choices are another site.
addEventListener("hashchange", () => location.reload());
