// An address where nothing is: a page for a person, JSON for a program.
import t from "tap";
import { buildWeb } from "../../../web/build.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";

/** As browsers send it when a person opens an address. */
const PERSON = { headers: { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8" } };

t.test("an unknown address is a page for a person and JSON for a program", async (t) => {
  await buildWeb();
  await withIdleApi(async (api) => {
    for (const path of ["/nowhere", "/embed/a/b/c", "/a/expired", "/v1/nothing"]) {
      const page = await api.call("GET", path, PERSON);
      t.equal(page.status, 404, path);
      t.match(page.headers.get("content-type"), /^text\/html/);
      t.match(page.headers.get("content-security-policy"), /default-src 'none'/);
      const [link] = /href="[^"]*"/.exec(page.body.slice(page.body.indexOf("<body"))) ?? [];
      t.ok(link, "it has a way on");
      for (const [, asset] of page.body.matchAll(/(?:src|href)="([^"]+assets\/[^"]+)"/g)) {
        t.equal((await fetch(new URL(asset, api.baseUrl + path))).status, 200, `${asset} from ${path}`);
      }
      for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
        const answer = await api.call("GET", path, { headers: { accept } });
        t.match(answer.body.error, { code: "NOT_FOUND" }, `${path} ${accept}`);
      }
    }
    t.match((await api.call("POST", "/nowhere", PERSON)).body.error, { code: "NOT_FOUND" });
    t.match((await api.call("GET", "/x".repeat(40), PERSON)).body.error, { code: "NOT_FOUND" });
  });
});
