// Where the embed page's token comes from.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import {
  fixedToken,
  posterAddress,
  renewable,
  routesAddress,
  sharedAgentOf,
  visitOf,
} from "../../../web/embed/credential.ts";
import { EmbedClient } from "../../../web/embed/embed-client.ts";

const TAB = "0123456789abcdef0123456789abcdef";

t.test("a public page is told by its address, and asks where the embed page asks", (t) => {
  t.equal(sharedAgentOf("https://a.example/share/nova?x=1#y"), "nova");
  t.equal(sharedAgentOf("https://a.example/prefix/share/n%20a/"), "n a");
  for (const path of ["/embed/nova", "/share/", "/share/a/b", "/share/%E0%A4%A"]) {
    t.equal(sharedAgentOf(`https://a.example${path}`), undefined, path);
  }
  t.equal(new URL("session", routesAddress("https://a.example/p/share/nova")).pathname, "/p/embed/session");
  t.equal(new URL("session", routesAddress("https://a.example/embed/nova")).pathname, "/embed/session");
  t.equal(posterAddress("https://a.example/p/share/n%20a/?x=1#y", "n a"), "https://a.example/p/share/n%20a/poster");
  t.end();
});

t.test("a token that expires while the page is open is replaced once, and the request goes on", async (t) => {
  const seen: string[] = [];
  let good = "visit-1";
  let visits = 0;
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    const send = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/embed/visit") return send(200, { token: `visit-${++visits}` });
    if (request.headers.authorization !== `Bearer ${good}`) return send(401, { error: { code: "UNAUTHORIZED" } });
    return send(200, { ok: true });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.teardown(() => server.close());
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/share/nova`;
  const client = new EmbedClient(page, visitOf(page, "nova", TAB), TAB);
  await Promise.all([client.say("one"), client.say("two")]);
  t.equal(visits, 1, "requests at once share one visit");
  good = "visit-2";
  await client.say("three");
  t.equal(client.token, "visit-2");
  good = "none";
  await t.rejects(client.say("four"), { code: "UNAUTHORIZED" }, "a new token that is refused ends it");
  t.equal(visits, 3);
  await t.rejects(new EmbedClient(page, fixedToken("old"), TAB).say("five"), { code: "UNAUTHORIZED" });
  t.equal(visits, 3, "a token of the owner's is not replaced by a visit");
  t.ok(
    seen.every((line) => !line.includes("token=")),
    "tokens travel in headers",
  );
});

t.test("a site is asked when there is no token, and again once its token is refused", async (t) => {
  const reasons: string[] = [];
  const credential = renewable(undefined, async (reason) => {
    reasons.push(reason);
    return `token ${reasons.length}`;
  });
  t.same(await Promise.all([credential.get(), credential.get()]), ["token 1", "token 1"]);
  t.equal(await credential.renew(), "token 2");
  t.equal(await credential.get(), "token 2");
  t.same(reasons, ["missing", "expired"]);
  credential.give("given");
  t.equal(await credential.get(), "given", "a token that a site gives before the old one expires");
  t.equal(await credential.renew(), "token 3");
  t.same(reasons, ["missing", "expired", "expired"]);
});
