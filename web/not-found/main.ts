// The page of unknown addresses: offers the page that was probably meant.
import { findElement } from "../shared/find-element.ts";
import { nearestPage } from "./nearest-page.ts";

const links = [...findElement("places", HTMLElement).querySelectorAll("a")];
/** The first link leads to the start page, below which everything lies. */
const root = new URL(links[0].href).pathname;
const places = new Map(links.map((link) => [new URL(link.href).pathname.slice(root.length), link]));

const meant = places.get(nearestPage(location.pathname.slice(root.length), [...places.keys()]) ?? "none");
if (meant) {
  const link = findElement("meant-link", HTMLAnchorElement);
  link.href = meant.href;
  link.textContent = meant.textContent;
  findElement("meant", HTMLElement).hidden = false;
}
