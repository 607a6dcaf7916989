// The launch endpoints on a real HTTP server. What follows a launch is tested with the whole worker
// (`test/integration/self-hosted.test.ts`).
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { SignJWT } from "jose";
import { Registry } from "prom-client";
import t, { type Test } from "tap";
import { Access } from "../../../agent-worker/self-hosted/access.ts";
import type { LaunchRequest } from "../../../agent-worker/self-hosted/launch-jobs.ts";
import { LaunchRoutes } from "../../../agent-worker/self-hosted/launch-routes.ts";
import type { Task } from "../../../agent-worker/self-hosted/task-list.ts";
import { HealthServer } from "../../../agent-worker/service/health-server.ts";
import { createLogger } from "../../../program/log.ts";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const SECRET = "operator-secret-operator-secret";
const ACCOUNT_SECRET = "account-secret-account-secret";
const SILENT_SECRET = "secret-for-which-nothing-comes-back";
const BODY_TIMEOUT_MS = 1_000;
const TASK: Task = {
  id: "task",
  roomName: "lobby",
  prompt: "",
  createdAt: new Date(),
  owner: null,
  sessionId: "cs_1",
  model: null,
  status: "pending",
  completedAt: null,
  error: null,
};

interface Served {
  port: number;
  launches: LaunchRequest[];
  launch(headers?: Record<string, string>, fields?: Record<string, string>): Promise<Response>;
  /** Connections that have announced a body of 1,000 bytes, and send none of it. */
  hold(count: number, headers?: string): Promise<Socket[]>;
}

async function serve(t: Test, { isPublic = true, bodyTimeoutMs = 20_000 } = {}): Promise<Served> {
  const launches: LaunchRequest[] = [];
  const logger = createLogger({ level: "silent", name: "test" });
  const access = new Access({ isPublic, secret: SECRET });
  const routes = new LaunchRoutes({
    access,
    jobs: {
      assertReady: () => undefined,
      // The service accepts one account.
      assertAccepted: async ({ value }) => {
        // Of another account it says nothing.
        if (value === SILENT_SECRET) await new Promise(() => undefined);
        if (value !== ACCOUNT_SECRET) throw new ServiceError("UNAUTHORIZED", "The API secret is not valid");
      },
      launch: async (request) => {
        launches.push(request);
        return TASK;
      },
      stop: () => undefined,
    },
    tasks: { find: () => TASK, list: () => [TASK] },
    probes: { benchmark: async () => ({}), testFrame: async () => new Uint8Array([0xff]) } as never,
    form: { guard: createAddressGuard({ allowPrivate: true }), nowMs: Date.now, minFreeBytes: 0 },
    secret: SECRET,
    bodyTimeoutMs,
    logger,
  });
  const status = () => ({ isReady: true, activeSessions: 0, maxSessions: 8 });
  const headersTimeoutMs = bodyTimeoutMs;
  const server = new HealthServer({ port: 0, routes, status, headersTimeoutMs, metrics: new Registry(), logger });
  const port = await server.start();
  t.teardown(() => server.close());
  const livekit_token = await new SignJWT({ video: { roomJoin: true, room: "lobby" }, sub: "avatar", kind: "agent" })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("10m")
    .sign(new TextEncoder().encode("a-livekit-secret-of-a-caller-of-32-bytes"));
  return {
    port,
    launches,
    launch(headers = {}, fields = {}) {
      const body = new URLSearchParams({
        livekit_url: "ws://127.0.0.1:7880",
        livekit_token,
        room_name: "lobby",
        ...fields,
      });
      return fetch(`http://127.0.0.1:${port}/launch`, { method: "POST", headers, body });
    },
    async hold(count, headers = "") {
      const sockets = Array.from({ length: count }, () => createConnection({ host: "127.0.0.1", port }));
      for (const socket of sockets) {
        t.teardown(() => socket.destroy());
        await once(socket, "connect");
        socket.write(`POST /launch HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}`);
        socket.write("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n");
      }
      return sockets;
    },
  };
}

/** All that the server sends until it closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  for await (const piece of socket) text += piece;
  return text;
}

t.test("slow strangers hold two bodies of an address for ten seconds, and no slot of an account", async (t) => {
  const { launch, hold, launches } = await serve(t);
  await hold(2);
  const third = await waitFor(async () => {
    const answer = await launch();
    return answer.status === 503 ? answer : undefined;
  }, "the stranger's bound");
  t.equal(third.headers.get("retry-after"), "1");
  t.match(await third.json(), { error: { code: "SERVICE_UNAVAILABLE" } });
  t.equal((await launch({ "api-secret": ACCOUNT_SECRET })).status, 200, "an account that the service knows");
  t.equal((await launch({ authorization: `Bearer ${SECRET}` })).status, 200, "the operator");
  t.equal(launches.length, 2);
});

t.test("a secret is checked before its body is received", async (t) => {
  const { hold, launch } = await serve(t);
  const wrong = await hold(3, "Authorization: Bearer made-up-by-a-stranger\r\n");
  for (const socket of wrong) {
    const [answer] = await once(socket, "data");
    t.match(String(answer), /^HTTP\/1.1 401 /, "without a byte of the body");
  }
  await hold(2, `api-secret: ${ACCOUNT_SECRET}\r\n`);
  await waitFor(async () => (await launch({ "api-secret": ACCOUNT_SECRET })).status === 503, "an account's own bound");
  t.equal((await launch({ "api-secret": SECRET })).status, 200);
});

t.test("an address has two secrets checked at a time", async (t) => {
  const { hold, launch, launches } = await serve(t);
  await hold(2, `api-secret: ${SILENT_SECRET}\r\n`);
  await waitFor(async () => (await launch({ "api-secret": ACCOUNT_SECRET })).status === 503, "the bound");
  const before = launches.length;
  t.equal((await launch({ "api-secret": SECRET })).status, 200, "the worker's own secret needs no check");
  t.equal(launches.length, before + 1);
});

t.test("a body that stays silent is refused in time, and its connection closed", async (t) => {
  const { port, hold, launch } = await serve(t, { bodyTimeoutMs: BODY_TIMEOUT_MS });
  const silent = createConnection({ host: "127.0.0.1", port });
  silent.write("POST /launch HTTP/1.1\r\n");
  const sockets = await hold(2);
  const texts = await Promise.all(sockets.map(readAll));
  for (const text of texts) t.match(text, /^HTTP\/1.1 400 [\s\S]*did not arrive within 1 s/);
  t.equal((await launch({}, { api_secret: ACCOUNT_SECRET })).status, 200, "both slots are free again");
  t.match(await readAll(silent), /^HTTP\/1.1 408 /, "headers that do not end are not waited for");
});

t.test("on loopback programs launch and read, pages of a browser do neither", async (t) => {
  const { port, launch } = await serve(t, { isPublic: false });
  t.equal((await launch()).status, 200);
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
  for (const path of ["/test-frame", "/tasks", "/tasks/task"]) {
    t.equal(await get(path), 200);
    t.equal(await get(path, { "sec-fetch-site": "none" }), 200, "an address that was typed");
    for (const site of ["cross-site", "same-site"]) {
      t.equal(await get(path, { "sec-fetch-site": site }), 403, `${path} as an image of a ${site} page`);
    }
  }
  t.equal((await launch({ "sec-fetch-site": "cross-site" })).status, 403);
  t.equal(await get("/tasks", { "sec-fetch-site": "cross-site", "api-secret": SECRET }), 200, "a page with a secret");
});
