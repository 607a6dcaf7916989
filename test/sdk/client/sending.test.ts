// How the client sends: retries, waits, ends, and what it makes of answers that are not the service's.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import {
  type CallOptions,
  Client,
  type ClientOptions,
  ConnectionError,
  InvalidResponseError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "../../../sdk/client/index.ts";
import { withSilentServer } from "../../helpers/servers/with-silent-server.ts";

type Reply = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** A server that answers as `reply` says, for the length of a callback. */
async function withServer(reply: Reply, work: (baseUrl: string, seen: IncomingMessage[]) => Promise<void>) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    request.resume();
    seen.push(request);
    reply(request, response, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): void {
  const error = { code, message: `It is ${code}.`, httpStatus: status };
  response
    .writeHead(status, { "content-type": "application/json", "x-request-id": "r-1", ...headers })
    .end(JSON.stringify({ error, status: "error", status_code: status }));
}

function answer(response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

const clientOf = (baseUrl: string, options: ClientOptions = {}) =>
  new Client({ baseUrl, apiSecret: "the-secret-of-the-account", ...options });

t.test("429 and 5xx are tried again, no other refusal is, and the key stays the same", async (t) => {
  const statuses = [503, 429];
  await withServer(
    (_, response, number) => {
      if (number <= 2) refuse(response, statuses[number - 1], "BUSY", { "retry-after": "0" });
      else answer(response, { success: true, agent_id: "A", status: "processing" });
    },
    async (baseUrl, seen) => {
      const lines: string[] = [];
      const logger = { debug: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
      const made = await clientOf(baseUrl, { logger }).agents.create({ prompt: "You are Nova." });
      t.equal(made.agent_id, "A");
      t.equal(seen.length, 3);
      t.equal(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size, 1);
      t.equal(lines.filter((line) => /503 BUSY, retry 1 in/.test(line)).length, 1);
      t.notMatch(lines.join(), /the-secret/);
    },
  );
  for (const status of [400, 401, 402, 403, 404, 409, 410, 413, 415, 422]) {
    await withServer(
      (_, response) => refuse(response, status, "NO", { "retry-after": "0" }),
      async (baseUrl, seen) => {
        const error = await clientOf(baseUrl)
          .accounts.me()
          .catch((refusal) => refusal);
        t.match(error, { httpStatus: status, code: "NO", message: "It is NO.", requestId: "r-1" });
        t.not(error.name, "ApiError", `${status} has a class: ${error.name}`);
        t.equal(seen.length, 1);
      },
    );
  }
});

t.test("a storm of 429: each call waits as long as it was told, and not all at the same time", async (t) => {
  const at = new Map<string, number[]>();
  await withServer(
    ({ url = "" }, response) => {
      const times = at.get(url) ?? [];
      at.set(url, [...times, performance.now()]);
      if (times.length === 0) refuse(response, 429, "RATE_LIMITED", { "retry-after": "1" });
      else answer(response, { success: true, data: {} });
    },
    async (baseUrl) => {
      const client = clientOf(baseUrl);
      await Promise.all(Array.from({ length: 20 }, (_, number) => client.agents.get(`agent-${number}`)));
      const waitsMs = [...at.values()].map(([first, second]) => second - first);
      t.ok(Math.min(...waitsMs) > 990, `at least the second in Retry-After: ${Math.min(...waitsMs)}`);
      t.ok(Math.max(...waitsMs) - Math.min(...waitsMs) > 30, "they come back apart");
    },
  );
  await withServer(
    (_, response) => refuse(response, 429, "RATE_LIMITED", { "retry-after": "0" }),
    async (baseUrl, seen) => {
      const error = await clientOf(baseUrl, { maxRetries: 4 })
        .accounts.me()
        .catch((refusal) => refusal);
      t.type(error, RateLimitError);
      t.equal(seen.length, 5, "it ends");
    },
  );
  await withServer(
    (_, response) => refuse(response, 503, "SERVICE_UNAVAILABLE", { "retry-after": "3600" }),
    async (baseUrl, seen) => {
      const error = await clientOf(baseUrl)
        .accounts.me()
        .catch((refusal) => refusal);
      t.match(error, { name: "ServerError", retryAfterMs: 3_600_000 });
      t.equal(seen.length, 1, "no call waits for an hour");
    },
  );
});

t.test("a date in Retry-After is read by the service's clock", async (t) => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const date = (ms: number): string => new Date(ms).toUTCString();
  await withServer(
    (_, response) =>
      refuse(response, 503, "SERVICE_UNAVAILABLE", { date: date(now), "retry-after": date(now + 30_000) }),
    async (baseUrl) => {
      const error = await clientOf(baseUrl, { maxRetries: 0 })
        .accounts.me()
        .catch((refusal) => refusal);
      t.equal(error.retryAfterMs, 30_000);
    },
  );
});

t.test("an HTML page of a proxy, an answer that is not JSON, and a redirect have errors of their own", async (t) => {
  const html = { "content-type": "text/html; charset=utf-8", "retry-after": "0" };
  await withServer(
    (_, response) => response.writeHead(502, html).end("<html>Bad gateway</html>"),
    async (baseUrl, seen) => {
      const error = await clientOf(baseUrl)
        .accounts.me()
        .catch((refusal) => refusal);
      t.type(error, ServerError);
      t.match(error, { code: "HTTP_502", httpStatus: 502, message: /^502 Bad Gateway: .*text\/html/ });
      t.equal(error.details, "<html>Bad gateway</html>");
      t.equal(seen.length, 3, "it may pass, so it is tried again");
    },
  );
  await withServer(
    (_, response) => response.writeHead(200, html).end("<html>Welcome</html>"),
    async (baseUrl) => {
      const error = await clientOf(baseUrl)
        .accounts.me()
        .catch((refusal) => refusal);
      t.type(error, InvalidResponseError);
      t.match(error, { code: "INVALID_RESPONSE", message: /text\/html.*baseUrl/ });
    },
  );
  await withServer(
    ({ url }, response) =>
      url === "/v1/me"
        ? response.writeHead(301, { location: "https://other.example/v1/me" }).end()
        : answer(response, {}),
    async (baseUrl, seen) => {
      await t.rejects(clientOf(baseUrl).accounts.me(), { message: /redirect to https:\/\/other.example/ });
      t.equal(seen.length, 1, "the secret goes to no other address");
    },
  );
});

t.test("a service that is away, silent, slow, or cut off", async (t) => {
  await withServer(
    (request) => request.socket.destroy(),
    async (baseUrl, seen) => {
      const error = await clientOf(baseUrl)
        .agents.create({ prompt: "You are Nova." })
        .catch((failure) => failure);
      t.type(error, ConnectionError);
      t.match(error, { idempotencyKey: String, message: new RegExp(`${baseUrl} cannot be reached`) });
      t.equal(seen.length, 1, "it may have arrived, so it is not repeated by itself");
    },
  );
  const away = clientOf(`http://127.0.0.1:${await findFreePort()}`).accounts.me();
  await t.rejects(away, { name: "ConnectionError", message: /127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/ });
  await withSilentServer(async ({ host }) => {
    const client = clientOf(`http://${host}`, { timeoutMs: 50 });
    const error = await client.accounts.me().catch((failure) => failure);
    t.type(error, TimeoutError);
    t.match(error, { message: "GET /v1/me: no answer within 50 ms" });
    await t.rejects(client.accounts.me({ timeoutMs: 20 }), /within 20 ms/);
  });
  await withServer(
    (_, response) => response.writeHead(200, { "content-type": "application/json" }).write('{"success":'),
    async (baseUrl) => {
      await t.rejects(clientOf(baseUrl, { timeoutMs: 50 }).accounts.me(), TimeoutError, "a body that never ends");
    },
  );
  await withServer(
    (request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"success":');
      setTimeout(() => request.socket.destroy(), 10);
    },
    async (baseUrl) => {
      await t.rejects(clientOf(baseUrl).accounts.me(), ConnectionError, "a body that is cut off");
    },
  );
});

t.test("an abort ends a call wherever it is, with the signal's reason", async (t) => {
  const reason = new Error("the caller left");
  const rejects = async (what: string, start: (options: CallOptions) => Promise<unknown>, isEarly = false) => {
    const controller = new AbortController();
    if (isEarly) controller.abort(reason);
    const call = start({ signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    const startedMs = performance.now();
    t.equal(await call.catch((error) => error), reason, what);
    t.ok(performance.now() - startedMs < 2_000, `${what}: at once`);
  };
  await withServer(
    ({ url }, response) => {
      if (url === "/v1/me") return refuse(response, 503, "SERVICE_UNAVAILABLE", { "retry-after": "30" });
      response.writeHead(200, { "content-type": "application/json" }).write('{"success":');
      return undefined;
    },
    async (baseUrl, seen) => {
      const client = clientOf(baseUrl);
      await rejects("before", (options) => client.accounts.me(options), true);
      t.equal(seen.length, 0, "nothing was sent");
      await rejects("while it waits for a retry", (options) => client.accounts.me(options));
      await rejects("while the body is read", (options) => client.agents.get("A", options));
      await rejects("while a file is read that never ends", (options) =>
        client.files.upload({ file: { data: new ReadableStream(), name: "a.txt" } }, options),
      );
      await rejects("in the middle of a list", async (options) => {
        for await (const agent of client.agents.list({}, options)) t.fail(agent.code);
      });
      await rejects("while it waits for an agent", (options) => client.agents.ready("A", options));
      const raw = new AbortController();
      const stream = await client.speech.synthesize({ text: "Hello" }, { signal: raw.signal });
      setTimeout(() => raw.abort(reason), 10);
      t.equal(await stream.arrayBuffer().catch((error) => error), reason, "while a stream is read");
    },
  );
  await withSilentServer(async ({ host }) => {
    const client = clientOf(`http://${host}`);
    await rejects("before the answer", (options) => client.accounts.me(options));
    // Some own implementations know no signal.
    const fetches = [() => new Promise<Response>(() => {}), async () => new Response(new ReadableStream())];
    for (const fetch of fetches) {
      const deaf = clientOf(`http://${host}`, { fetch, timeoutMs: 50 });
      await rejects("with a deaf fetch", (options) => deaf.accounts.me(options));
      await t.rejects(deaf.accounts.me(), TimeoutError);
    }
  });
});

t.test("a signal that lives as long as the program gathers no listeners", async (t) => {
  await withServer(
    (_, response) => answer(response, { success: true, data: {} }),
    async (baseUrl) => {
      const warnings: Error[] = [];
      const note = (warning: Error): number => warnings.push(warning);
      process.on("warning", note);
      const { signal } = new AbortController();
      const client = clientOf(baseUrl);
      for (let count = 0; count < 30; count++) await client.accounts.me({ signal });
      for (let count = 0; count < 30; count++) await (await client.speech.create({ input: "a" }, { signal })).text();
      await new Promise((resolve) => setImmediate(resolve));
      process.off("warning", note);
      t.same(warnings, []);
    },
  );
});

t.test("a notice about the plan is told once, from the header or the body", async (t) => {
  await withServer(
    (_, response, number) => {
      if (number <= 3)
        answer(response, { success: true, data: {} }, { "x-service-plan-notice": "Free until October." });
      else answer(response, { session_id: "s", plan_notice: "Another." });
    },
    async (baseUrl) => {
      await clientOf(baseUrl, { timeoutMs: Number.POSITIVE_INFINITY }).system.readiness();
      const notices: string[] = [];
      const client = clientOf(baseUrl, { onPlanNotice: (notice) => notices.push(notice) });
      for (let count = 0; count < 2; count++) await client.accounts.me();
      await client.sessions.get("s");
      t.same(notices, ["Free until October.", "Another."]);
    },
  );
});

t.test("a download waits for a file that is not published yet, and the secret does not go with it", async (t) => {
  await withServer(
    ({ url = "", headers }, response, number) => {
      const { host } = headers;
      if (url.startsWith("/elsewhere/")) response.end("the file");
      else if (number === 1) refuse(response, 404, "MODEL_ARTIFACT_NOT_READY", { "retry-after": "0.01" });
      else answer(response, { success: true, data: { url: `http://${host}/elsewhere/maya.imx`, expires_in: 3600 } });
    },
    async (baseUrl, seen) => {
      const file = await clientOf(baseUrl).models.download("A", { model: "essence-2" });
      t.equal(await file.text(), "the file");
      t.same(
        seen.map(({ url }) => url),
        [
          "/v1/agent/A/model/download?model=essence-2&redirect=false",
          "/v1/agent/A/model/download?model=essence-2&redirect=false",
          "/elsewhere/maya.imx",
        ],
      );
      t.equal(seen[2].headers["api-secret"], undefined);
    },
  );
  await withServer(
    (_, response) => refuse(response, 404, "MODEL_ARTIFACT_NOT_READY"),
    async (baseUrl, seen) => {
      const call = clientOf(baseUrl).models.download("A", { waitMs: 0 });
      await t.rejects(call, { code: "MODEL_ARTIFACT_NOT_READY" });
      t.equal(seen.length, 1);
    },
  );
});

t.test("the environment completes the options, and the secret's old name is mentioned once", async (t) => {
  const set = { AVATAR_API_URL: "", AVATAR_API_SECRET: "", AVATAR_API_KEY: "", AVATAR_API_TIMEOUT: "" };
  const before = Object.fromEntries(Object.keys(set).map((name) => [name, process.env[name]]));
  t.teardown(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  await withServer(
    ({ headers }, response) => answer(response, { success: true, data: { secret: headers["api-secret"] } }),
    async (baseUrl) => {
      Object.assign(process.env, set, { AVATAR_API_URL: baseUrl, AVATAR_API_KEY: "old-one" });
      const warnings: string[] = [];
      const logger = { warn: (line: string) => warnings.push(line) };
      t.match(await new Client({ logger }).accounts.me(), { secret: "old-one" });
      t.match(await new Client({ logger }).accounts.me(), { secret: "old-one" });
      t.same(warnings, ["AVATAR_API_KEY is deprecated: set AVATAR_API_SECRET."]);
      process.env.AVATAR_API_SECRET = "new-one";
      t.match(await new Client().accounts.me(), { secret: "new-one" });
      process.env.AVATAR_API_URL = "";
      t.throws(() => new Client(), /baseUrl is missing.*AVATAR_API_URL/);
    },
  );
  await withSilentServer(async ({ host }) => {
    Object.assign(process.env, { AVATAR_API_URL: `http://${host}`, AVATAR_API_TIMEOUT: "0.05" });
    await t.rejects(new Client().accounts.me(), /no answer within 50 ms/);
  });
});
