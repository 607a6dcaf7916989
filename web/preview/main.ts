// A site with an agent in it, for the console's view that shares it: the elements are those of the code that the view
// shows. The fragment of the address names the choices; the page makes nothing else. The site is in the console's
// language (`lang`).

import { embeddingTags, readChoice } from "../shared/embedding.ts";
import { findElement } from "../shared/find-element.ts";
import { inLanguage } from "../shared/in-language.ts";
import { firstLanguage } from "../shared/languages.ts";

const language = firstLanguage([new URLSearchParams(location.search).get("lang") ?? undefined, ...navigator.languages]);
// Widgets read it here.
document.documentElement.lang = language;
const choice = readChoice(location.hash.slice(1));
const service = new URL("./", location.href.replace(/[?#].*$/, ""));
for (const { name, attributes } of choice ? embeddingTags(choice, service) : []) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    // The policy allows no style attributes, and the same as properties.
    if (key === "style") element.style.cssText = value;
    else element.setAttribute(key, name === "iframe" && key === "src" ? inLanguage(value, language) : value);
  }
  findElement("site", HTMLElement).append(element);
}
// Other choices are another site.
addEventListener("hashchange", () => location.reload());
