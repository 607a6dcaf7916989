// What the service answers at addresses that it refuses: a page for a person, JSON for a program.
import { join } from "node:path";
import t from "tap";
import { buildWeb } from "../../../web/build.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";

/** What Chromium sends when an address is opened. */
const PERSON = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8" };

t.setTimeout(120_000);
t.before(() => buildWeb({ outDir: join(import.meta.dirname, "..", "..", "..", "web", "dist") }));

t.test("an unknown address is a page for a person and JSON for a program", async (t) => {
  await withIdleApi(async (api) => {
    const page = await api.call("GET", "/some/where", { headers: PERSON });
    t.equal(page.status, 404);
    t.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    t.match(page.headers.get("content-security-policy"), /script-src 'self';/);
    t.match(page.body, /<h1>There is nothing here<\/h1>/);
    t.match(page.body, 'href="../docs"', "links lead from the depth of the address");
    t.ok(page.headers.get("x-request-id"));
    for (const accept of ["*/*", "application/json"]) {
      const { status, body } = await api.call("GET", "/some/where", { headers: { accept } });
      t.equal(status, 404);
      t.match(body, { error: { code: "NOT_FOUND" } }, accept);
    }
    const posted = await api.call("POST", "/some/where", { headers: PERSON, body: {} });
    t.match(posted.body, { error: { code: "NOT_FOUND" } }, "a browser opens no address by POST");
  });
});

t.test("where a page is refused a person reads why, and a program gets the envelope", async (t) => {
  await withIdleApi(
    async (api) => {
      const page = await api.call("GET", "/demo", { headers: PERSON });
      t.equal(page.status, 403);
      t.match(page.body, /<h1>This is not open to you<\/h1>/);
      t.match(page.body, /The demo is available only/);
      t.match((await api.call("GET", "/demo")).body, { error: { code: "FORBIDDEN" } });
      const link = await api.call("GET", "/a/none", { headers: PERSON });
      t.equal(link.status, 404);
      t.match(link.body, /<p class="lead">[^<]*link/i);
    },
    { environment: { PUBLIC_URL: "https://avatars.example" } },
  );
});

t.test("the API answers a person as it answers programs", async (t) => {
  await withIdleApi(async (api) => {
    const { status, body } = await api.call("GET", "/v1/agents", { headers: PERSON });
    t.equal(status, 401);
    t.match(body, { error: { code: "MISSING_AUTH" } });
  });
});
