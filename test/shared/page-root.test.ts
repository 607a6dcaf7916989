// The way from a page's address to the root.
import t from "tap";
import { ROOT_PLACEHOLDER, withPageRoot } from "../../shared/page-root.ts";

t.test("a page reaches the root from every depth", async (t) => {
  const html = `<a href="${ROOT_PLACEHOLDER}">home</a><img src="${ROOT_PLACEHOLDER}assets/a.svg">`;
  for (const [path, way] of Object.entries({ "/": "./", "/docs": "./", "/embed/demo": "../", "/a/b/c": "../../" })) {
    t.equal(withPageRoot(html, path), `<a href="${way}">home</a><img src="${way}assets/a.svg">`, path);
  }
});
