// What the page of unknown addresses offers.
import t from "tap";
import { nearestPage } from "../../web/not-found/nearest-page.ts";

const PAGES = ["", "demo", "local", "realtime", "docs", "account/plan"];

t.test("an address with a slip leads to its page", async (t) => {
  t.equal(nearestPage("relatime", PAGES), "realtime");
  t.equal(nearestPage("Docs/", PAGES), "docs");
  t.equal(nearestPage("dmeo", PAGES), "demo");
  t.equal(nearestPage("account/credit", PAGES), "account/plan");
});

t.test("words that people try lead to what they mean", async (t) => {
  t.equal(nearestPage("v1/agents", PAGES), "docs");
  t.equal(nearestPage("swagger", PAGES), "docs");
  t.equal(nearestPage("index.html", PAGES), "");
});

t.test("any other address leads nowhere", async (t) => {
  for (const path of ["nowhere", "", "x", "constructor", "__proto__", "a".repeat(5_000)]) {
    t.equal(nearestPage(path, PAGES), undefined, path.slice(0, 20));
  }
});
