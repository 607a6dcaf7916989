// A worker on a machine of its own: the real program, launched as LiveKit's agent plugin launches it, with a real api
// elsewhere that meters it, and a real LiveKit server of the caller.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AccessToken } from "livekit-server-sdk";
import t, { type Test } from "tap";
import { chargeCredits } from "../../api/accounts/credits/ledger.ts";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { type TestLiveKit, withLiveKit } from "../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { TestListener, TestSender } from "../helpers/rooms/with-room-avatar.ts";
import { openTcpGate, type TcpGate } from "../helpers/servers/tcp-gate.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { type TestAnswer, type TestApi, withApi } from "../helpers/service/with-api.ts";
import { type SelfHostedWorker, withSelfHostedWorker } from "../helpers/service/with-self-hosted-worker.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only tests that hang: on a busy machine, starting a session process takes up to half a minute. */
const SLOW_MS = 120_000;
const HOUR_MS = 3_600_000;
const HEARTBEAT_S = 0.5;
const GRACE_S = 300;
/** The callers' LiveKit server is on this machine; two avatars at half the frame rate are enough. */
const SETTINGS = { AVATAR_MAX_FPS: "12.5", MAX_SESSIONS: "2" };
const PORTRAIT = fileURLToPath(new URL("../../models/portraits/hana.png", import.meta.url));
const ATTRIBUTE_SECRET = "attribute-secret-that-must-not-leak";

interface Stage {
  api: TestApi;
  livekit: TestLiveKit;
  gate: TcpGate;
  secret: string;
  userId: string;
  agentCode: string;
}

/** With a worker on another machine. */
interface WorkerStage extends Stage {
  worker: SelfHostedWorker;
  dataDir: string;
}

const avatarFile = bakedFace("photograph").then(writeImx);

async function withStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  await withLiveKit((livekit) =>
    withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ plan: "pro", credits: 10_000 });
        const gate = await openTcpGate(Number(new URL(api.baseUrl).port), { isOpen: false });
        try {
          const agentCode = await addShownAgent(api, account.userId);
          await work({ api, livekit, gate, secret, userId: account.userId, agentCode });
        } finally {
          await gate.close();
        }
      },
      {
        policies: { selfHosted: { heartbeatIntervalS: HEARTBEAT_S, graceS: GRACE_S } },
        environment: { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" },
      },
    ),
  );
}

/** An agent with a real rig. `hash`: what the service says of its file. */
async function addShownAgent(api: TestApi, userId: string, hash?: string): Promise<string> {
  const code = await addAgent(api.services, { userId });
  const bytes = await avatarFile;
  await api.services.storage.put(`models/${code}-essence-2.imx`, Buffer.from(bytes));
  await api.services.database
    .updateTable("agent_models")
    .set({ artifact_sha256: hash ?? createHash("sha256").update(bytes).digest("hex") })
    .where("artifact_key", "=", `models/${code}-essence-2.imx`)
    .execute();
  return code;
}

type Fields = Record<string, string>;

/** A room with a user and a voice agent, and what launches an avatar into it. */
async function openRoom({ livekit }: Stage, roomName = `room-${randomUUID()}`) {
  const mint = (identity: string, kind: "standard" | "agent", changes: { room?: string; ttl?: number } = {}) => {
    const attributes = { [ATTRIBUTE_PUBLISH_ON_BEHALF]: "agent", api_secret: ATTRIBUTE_SECRET };
    const token = new AccessToken(livekit.apiKey, livekit.apiSecret, { identity, attributes, ttl: changes.ttl ?? 600 });
    token.addGrant({ room: changes.room ?? roomName, roomJoin: true });
    token.kind = kind;
    return token.toJwt();
  };
  const userRoom = new TestRoom();
  const user = new TestListener(userRoom);
  await userRoom.connect(livekit.url, await mint("user", "standard"), { autoSubscribe: true, dynacast: false });
  const agentRoom = new TestRoom();
  await agentRoom.connect(livekit.url, await mint("agent", "agent"), { autoSubscribe: false, dynacast: false });
  const sender = new TestSender(agentRoom);
  const fields: Fields = {
    livekit_url: livekit.url,
    livekit_token: await mint("avatar", "agent"),
    room_name: roomName,
  };
  return {
    roomName,
    user,
    sender,
    fields,
    mint,
    hasAvatar: () => userRoom.remoteParticipants.has("avatar"),
    leave: async () => {
      await agentRoom.disconnect();
      await userRoom.disconnect();
    },
  };
}

function form(fields: Fields): URLSearchParams {
  return new URLSearchParams(fields);
}

async function send(url: string, init: RequestInit = {}): Promise<TestAnswer> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(SLOW_MS), ...init });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

function post(worker: SelfHostedWorker, path: string, body?: BodyInit, headers: Fields = {}): Promise<TestAnswer> {
  return send(worker.baseUrl + path, { method: "POST", body, headers });
}

function get(worker: SelfHostedWorker, path: string, headers: Fields = {}): Promise<TestAnswer> {
  return send(worker.baseUrl + path, { headers });
}

async function untilStatus(worker: SelfHostedWorker, id: string, status: string, headers: Fields = {}) {
  let task: { status: string; session_id: string; error: string | null; completed_at: string | null } | undefined;
  await waitFor(
    async () => {
      task = (await get(worker, `/tasks/${id}`, headers)).body;
      return task?.status === status;
    },
    `the task ${id} is ${status}`,
    SLOW_MS,
  );
  return task!;
}

const tone = (seconds: number) =>
  Int16Array.from({ length: 16_000 * seconds }, (_, i) => 9000 * Math.sin((2 * Math.PI * 400 * i) / 16_000));

t.test("a worker elsewhere serves what a plugin launches, an hour ahead of its service", async (t) => {
  await withStage(async (stage) => {
    const { gate, secret } = stage;
    const dataDir = await makeDataFolder(t);
    const environment = { ...SETTINGS, AVATAR_API_URL: `http://127.0.0.1:${gate.port}`, AVATAR_API_SECRET: secret };
    await withSelfHostedWorker({ dataDir, clockOffMs: HOUR_MS, environment }, async (worker) => {
      const worked = { ...stage, worker, dataDir };
      await t.test("it starts without its service, says so, and takes launches from when it is there", (t) =>
        startsWithoutItsService(t, worked),
      );
      await t.test("the plugin's forms and JSON start avatars, which are metered to the second", (t) =>
        metersWhatPluginsLaunch(t, worked),
      );
      await t.test("what is wrong with a launch is refused, and leaves no session", (t) =>
        refusesWrongLaunches(t, worked),
      );
      await t.test("a secret that is revoked, and a balance that is gone, end sessions with the reason", (t) =>
        endsUnpaidSessions(t, worked),
      );
      await t.test("the secret stays in the worker's process", (t) => keepsTheSecret(t, worked));
    });
  });
});

async function startsWithoutItsService(t: Test, stage: WorkerStage): Promise<void> {
  const { gate, worker } = stage;
  t.match(await get(worker, "/health"), { status: 200, body: { status: "healthy", max_sessions: 2 } });
  const waiting = { status: "not_ready", model_ready: false, available_sessions: 0, reason: /service/ };
  t.match(await get(worker, "/ready"), { status: 503, body: waiting });
  const room = await openRoom(stage);
  const early = await post(worker, "/launch", form(room.fields));
  t.match(early, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" }, detail: /initializing/ } });
  await room.leave();
  gate.open();
  await waitFor(async () => (await get(worker, "/ready")).status === 200, "the worker is ready", SLOW_MS);
  const ready = {
    status: "ready",
    model_ready: true,
    active_sessions: 0,
    available_sessions: 2,
    max_sessions: 2,
  };
  t.match((await get(worker, "/ready")).body, ready);
}

async function metersWhatPluginsLaunch(t: Test, stage: WorkerStage): Promise<void> {
  const { api, gate, secret, agentCode, worker } = stage;
  const session = async (id: string) => (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body;
  const room = await openRoom(stage);
  const bearer = { authorization: `Bearer ${secret}` };
  const launched = await post(worker, "/launch", form({ ...room.fields, mode: "cpu", avatar_id: agentCode }), bearer);
  t.match(launched, { status: 200, body: { status: "pending", room_name: room.roomName } });
  t.same(Object.keys(launched.body).sort(), ["room_name", "status", "task_id"]);
  const id: string = launched.body.task_id;
  await waitFor(() => room.user.frames.length > 0 && room.user.heard.length > 0, "video and audio", SLOW_MS);
  const running = await untilStatus(worker, id, "running");
  const liveMs = performance.now();
  t.match(running, { session_id: /^cs_/, error: null, completed_at: null });
  await room.sender.say(tone(0.5));
  await waitFor(() => room.sender.finished.length === 1, "the sender's segment", SLOW_MS);
  t.match(room.sender.finished[0], { positionS: 0.5, interrupted: false });

  const repeated = await post(worker, "/launch", form({ ...room.fields, mode: "cpu", avatar_id: agentCode }), bearer);
  t.equal(repeated.body.task_id, id, "a repeated launch finds its session");
  const other = await post(worker, "/launch", form(room.fields), bearer);
  t.match(other, { status: 409 }, "another face in the same place");

  const photo = await openRoom(stage);
  const parts = new FormData();
  for (const [name, value] of Object.entries({
    ...photo.fields,
    async_mode: "false",
    prompt: "A calm person.",
  })) {
    parts.set(name, value);
  }
  parts.set("avatar_image", new Blob([await readFile(PORTRAIT)], { type: "image/png" }), "hana.png");
  const awaited = await post(worker, "/launch", parts, bearer);
  t.match(awaited, { status: 200, body: { status: "running" } }, "async_mode=false waits until it is live");
  t.match((await get(worker, `/tasks/${awaited.body.task_id}`)).body, {
    prompt: "A calm person.",
    model: "expression-1",
  });

  const third = await openRoom(stage);
  const full = await post(worker, "/launch", form(third.fields));
  t.match(full, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" }, detail: /at capacity/ } });
  t.match(await get(worker, "/ready"), { status: 503, body: { status: "at_capacity", available_sessions: 0 } });

  const before = room.user.frames.length;
  const frame = await fetch(`${worker.baseUrl}/test-frame`);
  t.equal(frame.headers.get("content-type"), "image/jpeg");
  t.same([...new Uint8Array(await frame.arrayBuffer()).subarray(0, 3)], [0xff, 0xd8, 0xff]);
  t.equal((await fetch(`${worker.baseUrl}/test-frame?avatar_id=${agentCode}`)).status, 200);
  t.equal((await get(worker, "/test-frame?avatar_id=no-such-agent")).status, 404);
  t.ok(room.user.frames.length > before, "sessions go on");

  const body = JSON.stringify({ ...third.fields, mode: "gpu" });
  const headers = { "content-type": "application/json", "api-secret": secret };
  const waiting = post(worker, "/launch?async=false", body, headers);
  t.equal((await post(worker, `/tasks/${awaited.body.task_id}/stop`)).status, 200);
  await untilStatus(worker, awaited.body.task_id, "cancelled");
  await waitFor(() => !photo.hasAvatar(), "the avatar leaves", SLOW_MS);
  t.equal((await post(worker, `/tasks/${awaited.body.task_id}/stop`)).status, 200, "repeatable");

  const byJson = await waiting;
  t.match(byJson, { status: 200, body: { status: "running" } }, "JSON without a face gets the default one");
  await third.leave();
  await untilStatus(worker, byJson.body.task_id, "completed");

  gate.shut();
  await waitFor(() => worker.log.some((line) => line.includes("heartbeat not delivered")), "an outage", SLOW_MS);
  const framesBefore = room.user.frames.length;
  await waitFor(() => room.user.frames.length > framesBefore + 10, "the avatar goes on", SLOW_MS);
  await room.leave();
  const ended = await untilStatus(worker, id, "completed");
  const servedS = (performance.now() - liveMs) / 1000;
  gate.open();
  await waitFor(async () => (await session(ended.session_id)).status === "ended", "the end is delivered", SLOW_MS);
  const view = await session(ended.session_id);
  t.ok(Math.abs(view.billed_seconds - servedS) < 6, `${view.billed_seconds} s billed, ${servedS} s seen`);
  const usage = await api.call("GET", `/v1/usage?agent_code=${agentCode}`, { secret });
  const row = usage.body.data.find(({ room_name }: { room_name: string }) => room_name === room.roomName);
  t.match(row, { pricing_code: "usage_essence_2_model_self_hosted", credits_change: view.credits });
  t.ok(Math.abs(view.credits - Math.floor(view.billed_seconds / 30)) <= 1, "two credits a minute");
  const tasks = (await get(worker, "/tasks")).body.tasks;
  t.equal(tasks.length, 3);
  await photo.leave();
}

async function refusesWrongLaunches(t: Test, stage: WorkerStage): Promise<void> {
  const { api, worker, dataDir } = stage;
  const { database } = api.services;
  const running = async () => {
    const rows = database.selectFrom("avatar_sessions").select("id").where("status", "<>", "ended");
    return (await rows.execute()).length;
  };
  const runningBefore = await running();
  const room = await openRoom(stage);
  const { mint, fields } = room;
  const refusals: [string, Fields, number, RegExp][] = [
    ["no URL", { ...fields, livekit_url: "" }, 400, /livekit_url/],
    ["a private address", { ...fields, livekit_url: "ws://10.1.2.3:7880" }, 400, /private address/],
    ["no JWT", { ...fields, livekit_token: "nonsense" }, 400, /not a JWT/],
    ["another room", { ...fields, livekit_token: await mint("avatar", "agent", { room: "other" }) }, 400, /room/],
    ["an expired token", { ...fields, livekit_token: await mint("avatar", "agent", { ttl: -60 }) }, 400, /expired/],
    ["no image", { ...fields, image: Buffer.from("no image at all").toString("base64") }, 400, /image/],
    ["a private image", { ...fields, avatar_image_url: "http://127.0.0.1:9/face.png" }, 400, /private address/],
    ["an unknown agent", { ...fields, avatar_id: "A00XXX0000" }, 404, /A00XXX0000/],
    ["async", { ...fields, async_mode: "perhaps" }, 400, /async_mode/],
  ];
  for (const [what, wrong, status, message] of refusals) {
    const answer = await post(worker, "/launch", form(wrong));
    t.match(answer, { status, body: { error: { message }, detail: message } }, what);
  }
  const wrongSecret = { ...fields, api_secret: "not-a-secret-of-any-account" };
  t.match(await post(worker, "/launch", form(wrongSecret)), { status: 401 }, "a wrong secret");
  const foreign = { origin: "https://elsewhere.example" };
  t.equal((await post(worker, "/launch", form(fields), foreign)).status, 403, "a page of another site");
  t.equal((await get(worker, "/tasks", foreign)).status, 403);
  for (const path of ["/tasks/nonsense", "/nothing"]) t.equal((await get(worker, path)).status, 404, path);
  t.match(await post(worker, "/tasks/nonsense/stop"), { status: 404, body: { error: { code: "NOT_FOUND" } } });
  t.equal((await post(worker, "/benchmark?iterations=0")).status, 400);
  t.match((await post(worker, "/benchmark?iterations=1")).body, {
    iterations: 1,
    frames_per_generate: 25,
    avg_ms: Number,
    fps: Number,
    vram_gb: 0,
    gpu: null,
  });
  t.equal(await running(), runningBefore, "a session with an unusable image has ended");
  const poor = await api.addAccount({ plan: "pro", credits: 0 });
  const badImage = { ...fields, image: Buffer.from("no image at all").toString("base64") };
  const unpaid = await post(worker, "/launch", form({ ...badImage, api_secret: poor.secret }));
  t.match(unpaid, { status: 402 }, "the balance is looked at before the image is");

  const wrongHash = await addShownAgent(api, stage.userId, "0".repeat(64));
  const damaged = await post(worker, "/launch", form({ ...fields, avatar_id: wrongHash }));
  t.match(damaged, { status: 502, body: { detail: /hash/ } });
  const kept = await readdir(join(dataDir, "bundles"));
  t.notOk(
    kept.some((name) => name.startsWith("000")),
    "nothing of it is kept",
  );
  await room.leave();
}

async function endsUnpaidSessions(t: Test, stage: WorkerStage): Promise<void> {
  const { api, secret, worker } = stage;
  const poor = await api.addAccount({ plan: "pro", credits: 1 });
  const room = await openRoom(stage);
  const launched = await post(worker, "/launch", form({ ...room.fields, api_secret: poor.secret }));
  t.equal(launched.status, 200);
  const id = launched.body.task_id;
  t.equal((await get(worker, `/tasks/${id}`, { "api-secret": secret })).status, 200, "the operator sees it");
  const own = { authorization: `Bearer ${poor.secret}` };
  t.same(
    (await get(worker, "/tasks", own)).body.tasks.map((task: { task_id: string }) => task.task_id),
    [id],
  );
  await untilStatus(worker, id, "running");
  await api.services.database.transaction().execute(async (transaction) => {
    const spent = { account: poor.account, amountCredits: 1, reason: "elsewhere", reference: "elsewhere" };
    const { links } = api.services;
    await chargeCredits(transaction, { ...spent, agentCode: null, at: new Date(), links });
  });
  const broke = await untilStatus(worker, id, "failed");
  t.match(broke.error, /^INSUFFICIENT_BALANCE: /);
  await waitFor(() => !room.hasAvatar(), "the avatar leaves", SLOW_MS);

  const rich = await api.addAccount({ plan: "pro", credits: 100 });
  const next = await post(worker, "/launch", form({ ...room.fields, api_secret: rich.secret }));
  await untilStatus(worker, next.body.task_id, "running");
  await api.services.database
    .updateTable("api_secrets")
    .set({ revoked_at: new Date() })
    .where("user_id", "=", rich.account.userId)
    .execute();
  t.match((await untilStatus(worker, next.body.task_id, "failed")).error, /RUNTIME_SUSPENDED|revoked/);
  const again = await post(worker, "/launch", form({ ...room.fields, api_secret: rich.secret }));
  t.match(again, { status: 403, body: { error: { code: "RUNTIME_SUSPENDED" } } });
  await room.leave();
}

async function keepsTheSecret(t: Test, { secret, worker }: WorkerStage): Promise<void> {
  const log = worker.log.join("\n");
  for (const hidden of [secret, ATTRIBUTE_SECRET, "not-a-secret-of-any-account"]) t.notMatch(log, hidden);
  t.notMatch(log, /"livekit_token":"ey/);
  const tasks = await fetch(`${worker.baseUrl}/tasks`).then((answer) => answer.text());
  t.notMatch(tasks, secret);
  const children = (await readFile(`/proc/${worker.pid}/task/${worker.pid}/children`, "utf8")).trim().split(" ");
  t.ok(children.length > 0);
  for (const pid of children) {
    // One that waited for a session may have left meanwhile.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    t.notMatch(environment, secret, `process ${pid}`);
  }
}

t.test("an open worker without a secret serves those who bring a token, an hour behind, on a full disk", async (t) => {
  await withStage(async (stage) => {
    const { api, gate, secret, agentCode, livekit } = stage;
    gate.open();
    const dataDir = await makeDataFolder(t);
    const hash = createHash("sha256")
      .update(await avatarFile)
      .digest("hex");
    await mkdir(join(dataDir, "bundles"));
    // The kernel's own full disk, in the place of the file that is written.
    await symlink("/dev/full", join(dataDir, "bundles", `${hash}.imx.part`));
    const environment = {
      ...SETTINGS,
      AVATAR_API_URL: `http://127.0.0.1:${gate.port}`,
      HOST: "0.0.0.0",
      AVATAR_WORKER_PUBLIC: "1",
      AVATAR_ALLOW_PRIVATE_ADDRESSES: "1",
    };
    await withSelfHostedWorker({ dataDir, clockOffMs: -HOUR_MS, environment }, async (worker) => {
      await waitFor(async () => (await get(worker, "/ready")).status === 200, "the worker is ready", SLOW_MS);
      const room = await openRoom(stage);
      const mint = async (changes = {}): Promise<string> => {
        const scope = { agent_code: agentCode, room_name: room.roomName, livekit_url: livekit.url };
        const body = { scope: "livekit-cloud", ...scope, ...changes };
        return (await api.call("POST", "/v1/runtime-tokens/mint", { secret, body })).body.scoped_token;
      };
      const launch = (token: string, changes: Fields = {}) =>
        post(worker, "/launch", form({ ...room.fields, ...changes }), { authorization: `Bearer ${token}` });
      t.equal((await post(worker, "/launch", form(room.fields))).status, 401, "a launch needs a credential");
      for (const path of ["/tasks", "/test-frame"]) t.equal((await get(worker, path)).status, 401, path);
      t.equal((await get(worker, "/health")).status, 200);
      const token = await mint();
      t.equal((await launch(token, { agent_id: "another" })).status, 403, "another agent");
      t.equal((await launch(await mint({ room_name: "another" }))).status, 403, "another room");
      const launched = await launch(token, { agent_id: agentCode });
      t.equal(launched.status, 200, JSON.stringify(launched.body));
      const own = { authorization: `Bearer ${token}` };
      const id = launched.body.task_id;
      await untilStatus(worker, id, "running", own);
      t.ok(worker.log.some((line) => line.includes("bundle not kept on disk")));
      t.notOk((await readdir(join(dataDir, "bundles"))).includes(`${hash}.imx`));
      const stranger = { authorization: "Bearer of-a-stranger" };
      t.same((await get(worker, "/tasks", stranger)).body.tasks, []);
      t.equal((await post(worker, `/tasks/${id}/stop`, undefined, stranger)).status, 404);
      t.equal((await post(worker, "/benchmark", undefined, own)).status, 403, "only the worker's own secret may");
      t.equal((await post(worker, `/tasks/${id}/stop`, undefined, own)).status, 200);
      await untilStatus(worker, id, "cancelled", own);
      const reused = await launch(token, { agent_id: agentCode });
      t.match(reused, { status: 403, body: { error: { message: /already started/ } } }, "one session for each token");
      await room.leave();
    });

    await t.test("a secret that the service refuses ends the worker before it serves anything", async (t) => {
      const secrets = { AVATAR_API_SECRET: "", AVATAR_API_KEY: "of-no-account-of-this-service" };
      const refused = { ...environment, HOST: "127.0.0.1", ...secrets };
      await withSelfHostedWorker({ dataDir, environment: refused }, async (worker) => {
        t.equal(await worker.exited, 1);
        t.match(worker.log.join("\n"), /refuses AVATAR_API_SECRET \(UNAUTHORIZED\)/);
        t.notMatch(worker.log.join("\n"), /of-no-account-of-this-service/);
        const told = worker.log.filter((line) => line.includes("AVATAR_API_KEY is deprecated"));
        t.equal(told.length, 1, "its old name is read, and mentioned once");
      });
    });
  });
});
