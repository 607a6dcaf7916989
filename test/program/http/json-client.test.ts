// The client of our programs for each other's JSON, against servers that answer as told.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { HttpRefusal, JsonClient } from "../../../program/http/json-client.ts";
import { withSilentServer } from "../../helpers/servers/with-silent-server.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** Answers each request with the next of `answers`; the last one is repeated. */
async function withServer(
  answers: Answer[],
  work: (client: JsonClient, received: string[], baseUrl: string) => Promise<void>,
): Promise<void> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    received.push(`${request.method} ${request.url} ${body}`);
    (answers.length > 1 ? answers.shift()! : answers[0])(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await work(new JsonClient({ baseUrl, timeoutMs: 5_000 }), received, baseUrl);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const status =
  (code: number, text = ""): Answer =>
  (response) =>
    response.writeHead(code, { "x-told": "yes" }).end(text);

/** Writes until the client has gone. */
const endless: Answer = (response) => {
  const more = (): void =>
    void (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once("drain", more));
  more();
};

t.test("values go both ways, and an empty answer is undefined", async (t) => {
  await withServer([status(200, '{"a":1}'), status(204), status(200, "<html>")], async (client, received) => {
    t.same(await client.post("/things", { b: 2 }), { a: 1 });
    t.equal(await client.get("/none"), undefined);
    t.same(received, ['POST /things {"b":2}', "GET /none "]);
    await t.rejects(client.get("/page"), { name: "SyntaxError" });
  });
});

t.test("a refusal carries what the other side said, and nothing of the request but its path", async (t) => {
  await withServer([status(402, '{"error":"credits"}')], async (client, received) => {
    const headers = { authorization: "Bearer k-secret" };
    const refusal = await client
      .post("/beat?token=k-secret", {}, { headers, attempts: 3 })
      .catch((error: unknown) => error);
    if (!(refusal instanceof HttpRefusal)) throw new Error("the call was not refused");
    t.match(refusal, { status: 402, text: '{"error":"credits"}', message: "/beat was answered with 402" });
    t.equal(refusal.headers.get("x-told"), "yes");
    t.notMatch(JSON.stringify([refusal, refusal.message, refusal.stack]), /k-secret/);
    t.equal(received.length, 1, "it is final");
  });
});

t.test("what may pass is tried again, as often as the caller says", async (t) => {
  const dies: Answer = (response) => response.destroy();
  await withServer([dies, status(503), status(429), status(200, "7")], async (client, received) => {
    t.equal(await client.get("/x", { attempts: 4 }), 7);
    t.equal(received.length, 4);
  });
  await withServer([status(500)], async (client, received) => {
    await t.rejects(client.get("/x", { attempts: 2 }), { name: "HttpRefusal", message: /500/ });
    await t.rejects(client.get("/x"), { name: "HttpRefusal", message: /500/ });
    t.equal(received.length, 3);
  });
});

t.test("answers are bounded in time and in bytes", async (t) => {
  await withSilentServer(async ({ host }) => {
    const client = new JsonClient({ baseUrl: `http://${host}`, timeoutMs: 100 });
    await t.rejects(client.get("/x"), { name: "TimeoutError" });
    await t.rejects(client.post("/x", {}, { timeoutMs: 50 }), { name: "TimeoutError" });
    const leaving = new AbortController();
    const left = client.get("/x", { signal: leaving.signal, timeoutMs: 60_000 });
    leaving.abort(new Error("not wanted"));
    await t.rejects(left, { message: "not wanted" });
  });
  const drips: Answer = (response) => {
    response.writeHead(200, { "content-length": 1_000 });
    const timer = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(timer));
  };
  await withServer([drips], async (client) => {
    await t.rejects(client.get("/x", { timeoutMs: 200 }), { name: "TimeoutError" }, "the whole answer has the time");
  });
  await withServer([endless], async (client, received, baseUrl) => {
    await t.rejects(client.get("/x", { attempts: 3 }), { name: "RangeError" });
    await t.rejects(client.download(`${baseUrl}/file`, 1_000, { attempts: 3 }), { name: "RangeError" });
    t.equal(received.length, 2, "neither is requested twice");
  });
  const refusesWithoutEnd: Answer = (response, request) => {
    response.statusCode = 400;
    endless(response, request);
  };
  await withServer([refusesWithoutEnd], async (client) => {
    await t.rejects(client.get("/x"), { name: "RangeError" });
  });
});

t.test("a call is not led to another server, and a download may be", async (t) => {
  await withServer([status(200, "bytes")], async (_, receivedElsewhere, elsewhere) => {
    const moved: Answer = (response) => response.writeHead(307, { location: `${elsewhere}/file` }).end();
    await withServer([moved], async (client, _received, baseUrl) => {
      await t.rejects(client.post("/x", { secret: true }), { name: "TypeError" });
      t.same(receivedElsewhere, []);
      t.equal(Buffer.from(await client.download(`${baseUrl}/file`, 100)).toString(), "bytes");
    });
  });
});
