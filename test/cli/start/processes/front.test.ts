// The front of `npm start` hands connections to the api and the relay; clients notice nothing of it.
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { WebSocket } from "ws";
import { findFreePort } from "../../../../cli/start/processes/free-port.ts";
import { Front } from "../../../../cli/start/processes/front.ts";
import { withRealtimeServer } from "../../../helpers/servers/realtime-server.ts";
import { withFront } from "../../../helpers/service/with-front.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

interface Asked {
  /** Default: a connection of its own. A kept one may be closed while the request is on its way. */
  agent?: Agent;
  headers?: Record<string, string>;
  method?: string;
  body?: Buffer;
}

async function ask(url: string, { agent, headers, method, body }: Asked = {}) {
  const asked = request(url, { agent: agent ?? false, headers, method });
  asked.end(body);
  const [answer]: [IncomingMessage] = await (once(asked, "response") as Promise<[IncomingMessage]>);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isJson = answer.headers["content-type"]?.includes("json");
  return { status: answer.statusCode, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

t.test("while no api is there, a person's page tries again by itself, and a program is told when to", async (t) => {
  const front = new Front();
  const port = await findFreePort();
  await front.start(port, "127.0.0.1");
  const person = await ask(`http://127.0.0.1:${port}/demo`, { headers: { accept: "text/html,*/*;q=0.8" } });
  t.match(person, {
    status: 503,
    headers: { refresh: /^\d+$/, "retry-after": /^\d+$/ },
    body: /<h1>The service is starting/,
  });
  const program = await ask(`http://127.0.0.1:${port}/demo`, { headers: { accept: "*/*" } });
  t.match(program, {
    status: 503,
    headers: { "retry-after": /^\d+$/ },
    body: { error: { code: "SERVICE_UNAVAILABLE" } },
  });
  t.equal(program.headers.refresh, undefined);
  await front.close();
});

t.test("requests and calls pass the front, and a call goes on while the api starts again", { timeout: 180_000 }, (t) =>
  withRealtimeServer({}, async (upstream) => {
    const listed = [{ name: "gpt-realtime-mini", base_url: upstream.baseUrl, api_key: "sk-cloud" }];
    await withFront(t, { AVATAR_REALTIME_UPSTREAMS: JSON.stringify(listed) }, async (stage) => {
      const { baseUrl, secret, api, relay, front } = stage;
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set<unknown>();
      agent.on("free", (socket) => sockets.add(socket));
      for (let index = 0; index < 5; index++) t.equal((await ask(`${baseUrl}/readyz`, { agent })).status, 200);
      t.equal(sockets.size, 1, "one connection carries many requests");
      t.equal((await ask(`${baseUrl}/openapi.json`, { agent })).body.openapi, "3.1.0", "a large answer");
      t.equal((await ask(`${baseUrl}/metrics`)).status, 200, "a request of this machine is one");
      t.equal((await ask(`${baseUrl}/metrics`, { headers: { "x-forwarded-for": "192.0.2.1" } })).status, 404);
      const upgrade = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQ" };
      const body = Buffer.from(JSON.stringify({ api_secret: secret, filler: "x".repeat(500_000) }));
      const json = { "content-type": "application/json" };
      const validate = { method: "POST", body, headers: { ...json, ...upgrade } };
      t.match(await ask(`${baseUrl}/v1/validate`, validate), { status: 200 }, "an upgrade that is declined");
      t.match(await ask(`${baseUrl}/v1/realtime`), { status: 400 }, "the relay answers plain requests, too");
      const token = `${baseUrl}/v1/realtime/ephemeral-token`;
      t.equal((await ask(token, { method: "POST", headers: json, body: Buffer.from("{}") })).status, 410);
      const cut = connect(Number(new URL(baseUrl).port), "127.0.0.1", () => cut.end("POST /v1/tts HTTP/1.1\r\nHost"));
      cut.resume();
      await once(cut, "close");

      await waitFor(async () => (await ask(`${baseUrl}/readyz`)).body.checks.relays === "ok", "the relay's report");
      const url = `${baseUrl.replace("http", "ws")}/v1/realtime`;
      const open = () => {
        const socket = new WebSocket(url, { headers: { "api-secret": secret } });
        const echoed: string[] = [];
        socket.on("message", (data) => echoed.push(data.toString()));
        socket.on("error", () => undefined);
        return { socket, echoed };
      };
      const refused = new WebSocket(url);
      refused.on("error", () => undefined);
      const [, answer] = await once(refused, "unexpected-response");
      t.equal(answer.statusCode, 401);
      const call = open();
      await waitFor(() => call.echoed.length === 1, "session.created");

      // While it stands still, connections wait for it on their way.
      process.kill(Number(api.pid), "SIGSTOP");
      const stuck = [1, 2, 3].map(() =>
        ask(`${baseUrl}/readyz`).then(
          ({ status }) => status,
          () => "closed",
        ),
      );
      await delay(200);
      process.kill(Number(api.pid), "SIGKILL");
      for (const outcome of await Promise.all(stuck)) t.match(String(outcome), /closed|503/, "no client waits in vain");
      const away = await waitFor(async () => {
        const state = await ask(`${baseUrl}/readyz`).catch(() => null);
        return state?.status === 503 ? state : null;
      }, "the api to be away");
      t.match(away.body, { error: { code: "SERVICE_UNAVAILABLE" }, status_code: 503 });
      t.match(away.headers["retry-after"], /^\d+$/);
      call.socket.send("without an api");
      await waitFor(() => call.echoed.includes("without an api"), "the echo");
      const isUp = async () => (await ask(`${baseUrl}/readyz`).catch(() => null))?.status === 200;
      await waitFor(isUp, "the api again", 120_000);
      call.socket.send("with another api");
      await waitFor(() => call.echoed.includes("with another api"), "the echo");

      process.kill(Number(relay.pid), "SIGKILL");
      await once(call.socket, "close");
      const next = new WebSocket(url, { headers: { "api-secret": secret } });
      next.on("error", () => undefined);
      const [, unavailable] = await once(next, "unexpected-response");
      t.equal(unavailable.statusCode, 503);
      t.match(unavailable.headers["retry-after"], /^\d+$/);
      const again = await waitFor(
        async () => {
          const { socket, echoed } = open();
          await new Promise((resolve) => {
            socket.once("close", resolve);
            socket.once("message", resolve);
          });
          return echoed.length === 1 && socket;
        },
        "the relay again",
        120_000,
      );
      const closed = once(again, "close");
      await relay.stop();
      const [code] = await closed;
      t.equal(code, 1013);
      await front.close();
      agent.destroy();
    });
  }),
);
