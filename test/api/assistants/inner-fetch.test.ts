// A request that never leaves the process looks to the api as one from outside, and so does its answer.
import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import Koa from "koa";
import t from "tap";
import { createInnerFetch, type InnerFetchOptions } from "../../../api/assistants/inner-fetch.ts";

const PUBLIC_URL = "https://avatars.example/base";

function fetchOf(answer: RequestListener, options: Partial<InnerFetchOptions> = {}): typeof fetch {
  return createInnerFetch({ answer, publicUrl: PUBLIC_URL, ip: "203.0.113.7", trustProxy: false, ...options });
}

/** Answers with what it got. */
function echo(): Koa {
  const app = new Koa();
  app.use(async (context) => {
    const { method, url, ip, headers } = context;
    context.status = 201;
    context.set({ "X-Name": "value", "Set-Cookie": ["a=1", "b=2"] });
    context.body = { method, url, ip, headers, body: await text(context.req) };
  });
  return app;
}

t.test("method, path, headers, body and the client's address arrive, and the answer comes back", async (t) => {
  const inner = fetchOf(echo().callback());
  const answer = await inner(`${PUBLIC_URL}/v1/agents?limit=2`, {
    method: "POST",
    headers: { "api-secret": "secret", "content-type": "application/json" },
    body: '{"a":1}',
  });
  t.equal(answer.status, 201);
  t.equal(answer.headers.get("x-name"), "value");
  t.same(answer.headers.getSetCookie(), ["a=1", "b=2"]);
  const { headers, ...seen } = (await answer.json()) as { headers: Record<string, string> };
  t.match(seen, { method: "POST", url: "/v1/agents?limit=2", ip: "203.0.113.7", body: '{"a":1}' });
  t.match(headers, { "api-secret": "secret", host: "avatars.example", "content-length": "7" });
  t.notOk(headers["x-forwarded-for"]);
});

t.test("behind a proxy the api takes the client's address from the header", async (t) => {
  const app = echo();
  app.proxy = true;
  app.maxIpsCount = 1;
  const answer = await fetchOf(app.callback(), { trustProxy: true })(`${PUBLIC_URL}/`);
  t.match(await answer.json(), { ip: "203.0.113.7", url: "/" });
});

t.test("a form arrives with its files", async (t) => {
  const form = new FormData();
  form.append("file", new File([new Uint8Array(200_000).fill(65)], "a.txt"));
  const answer = await fetchOf(echo().callback())(`${PUBLIC_URL}/`, { method: "POST", body: form });
  const { headers, body } = (await answer.json()) as { headers: Record<string, string>; body: string };
  t.match(headers["content-type"], /^multipart\/form-data; boundary=/);
  t.ok(body.includes("A".repeat(200_000)));
});

t.test("answers in pieces, without a body, and of bytes", async (t) => {
  const inner = fetchOf((request, response) => {
    if (request.url === "/none") return response.writeHead(204).end();
    response.setHeader("content-type", "application/octet-stream");
    response.write(Buffer.from([0, 255]));
    response.write("é");
    setImmediate(() => response.end("ff", "hex"));
  });
  const piped = fetchOf((_, response) => void Readable.from([Buffer.alloc(300_000), Buffer.alloc(5)]).pipe(response));
  t.equal((await (await piped(`${PUBLIC_URL}/`)).arrayBuffer()).byteLength, 300_005);
  const none = await inner(`${PUBLIC_URL}/none`);
  t.same([none.status, await none.text()], [204, ""]);
  const bytes = Buffer.from(await (await inner(`${PUBLIC_URL}/bytes`)).arrayBuffer());
  t.equal(bytes.toString("hex"), "00ffc3a9ff");
});

t.test("other addresses are refused", async (t) => {
  const inner = fetchOf(() => t.fail("nothing is asked"));
  for (const url of ["https://elsewhere.example/base/v1", "https://avatars.example/based", "http://127.0.0.1/"]) {
    await t.rejects(inner(url), TypeError, url);
  }
});

t.test("a caller that goes away ends the answer", async (t) => {
  const asked: IncomingMessage[] = [];
  const controller = new AbortController();
  let closed: Promise<unknown> = Promise.resolve();
  const inner = fetchOf((request, response) => {
    asked.push(request);
    closed = once(response, "close").then(() => response.writableFinished);
    controller.abort(new Error("gone"));
  });
  await t.rejects(inner(`${PUBLIC_URL}/`, { signal: controller.signal }), /gone/);
  t.equal(await closed, false, "the handler sees that nothing was sent");
  t.equal(asked.length, 1);
  await t.rejects(inner(`${PUBLIC_URL}/`, { signal: controller.signal }), "one that is gone already");
  t.equal(asked.length, 1);
});

t.test("an answer that is cut short, and one without end, reject", async (t) => {
  await t.rejects(fetchOf((_, response) => response.destroy())(`${PUBLIC_URL}/`), /cut short/);
  const endless: RequestListener = async (_, response) => {
    const megabyte = Buffer.alloc(1024 * 1024);
    while (!response.destroyed)
      if (!response.write(megabyte)) await Promise.race([once(response, "drain"), once(response, "close")]);
  };
  await t.rejects(fetchOf(endless)(`${PUBLIC_URL}/`), /cut short/);
});
