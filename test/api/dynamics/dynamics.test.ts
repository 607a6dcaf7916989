import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import t, { type Test } from "tap";
import { balanceOf } from "../../../api/accounts/credits/ledger.ts";
import { rebakeJob } from "../../../api/agents/models/rebake-job.ts";
import { performBake } from "../../../api/agents/portraits/bake-task.ts";
import { findAgentByCode, updateAgent } from "../../../api/agents/record/agent-store.ts";
import { clipKey, dynamicsModelKey } from "../../../api/dynamics/dynamics.ts";
import { dynamicsJob } from "../../../api/dynamics/dynamics-job.ts";
import { findDynamics, startRun } from "../../../api/dynamics/dynamics-store.ts";
import { failOrphanedRuns } from "../../../api/dynamics/settle-dynamics.ts";
import { GESTURE_NAMES } from "../../../shared/gesture-names.ts";
import { gestureTracks } from "../../../src/face/gestures/gesture-track.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { bakeTools, drawnFace, runtime } from "../../helpers/faces/face-of.ts";
import { probeFilm } from "../../helpers/files/probe-film.ts";
import { type WebhookReceiver, withWebhookReceiver } from "../../helpers/servers/with-webhook-receiver.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type TestAnswer, type TestApi, withApi } from "../../helpers/service/with-api.ts";
import { QUICK } from "../../helpers/service/with-webhooks.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const GENERATE = "/v1/dynamics/generate";
const PRICE = 250;
const CREDITS = 5 * PRICE;
/** Clips are made one after the other, on a machine that is busy with other tests. */
const MADE_MS = 180_000;
const SIDE_PX = 256;

await t.test("dynamics", (t) =>
  withWebhookReceiver((receiver) =>
    withApi(
      async (api) => {
        const stage = await openStage(api, receiver);
        await t.test("a refused order charges nothing", (t) => refusesOrders(t, stage));
        await t.test("an agent that was created without a model, which is expression-1 alone, gets gestures", (t) =>
          orderOfDefaultModel(t, stage),
        );
        await t.test("the same key twice at once makes gestures for all models of the agent, and clips", (t) =>
          makesGesturesOnce(t, stage),
        );
        await t.test("a change is merged, varies the gestures at no charge, and the earlier files stay", (t) =>
          changesGestures(t, stage),
        );
        await t.test("a model that is baked again keeps its gestures", (t) => keepsGesturesOfRebakedModel(t, stage));
        await t.test("what cannot be made is refunded, once; gestures of before stay in use", (t) =>
          refundsWhatFails(t, stage),
        );
        await t.test("an attempt that another one overtakes leaves the files, which are in use", (t) =>
          leavesFilesOfOvertakenAttempt(t, stage),
        );
        await t.test("gestures end with the face that they were made for", (t) => endsWithTheFace(t, stage));
        await t.test("the gestures of a deleted agent go with it, and their making stops", (t) =>
          goesWithTheAgent(t, stage),
        );
      },
      { environment: { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" }, policies: { webhooks: QUICK, filmNiceness: 0 } },
    ),
  ),
);

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage(api: TestApi, receiver: WebhookReceiver) {
  const { account, secret } = await api.addAccount({ credits: CREDITS });
  const { secret: rich } = await api.addAccount({ credits: 2 * PRICE });
  const { userId } = account;
  const { database, storage, links: billingLinks } = api.services;
  const services = { ...api.services, billingLinks, countRun: () => undefined, filmNiceness: 0 };
  const imx = await smallFace();
  const addFace = async (code: string, families: readonly ("essence-1" | "essence-2")[] = ["essence-2"]) => {
    await addAgent(api.services, { userId, code, families });
    for (const family of families) await storage.put(`models/${code}-${family}.imx`, imx);
    return code;
  };
  const code = await addFace("otto", ["essence-2", "essence-1"]);
  const agentOf = async (of: string) => {
    const agent = await findAgentByCode(database, of);
    if (!agent) throw new Error(`no agent ${of}`);
    return agent;
  };
  const { id: agentId } = await agentOf(code);
  const post = (body: object, headers?: Record<string, string>) =>
    api.call("POST", GENERATE, { secret, headers, body: { agent_id: code, duration: 1, ...body } });
  const get = async (of = code) => (await api.call("GET", `/v1/dynamics/${of}`, { secret })).body.data;
  const put = async (body: object, of = code) => (await api.call("PUT", `/v1/dynamics/${of}`, { secret, body })).body;
  const detail = async () => (await api.call("GET", `/v1/agent/${code}`, { secret })).body.data;
  const left = async () => (await balanceOf(database, userId)).total;
  const rowOf = async (of = code) => findDynamics(database, (await agentOf(of)).id);
  /** Reads the database: polls of the api are limited. */
  const untilEnded = async (of = code) => {
    const isEnded = async () => /ready|failed/.test((await rowOf(of))?.status ?? "");
    await waitFor(isEnded, `the gestures of ${of}`, MADE_MS);
    return get(of);
  };
  const untilJobIsGone = async () => {
    const jobs = sql`select from graphile_worker.jobs where key = ${`dynamics:${agentId}`}`;
    const isGone = async () => (await jobs.execute(database)).rows.length === 0;
    await waitFor(isGone, "the end of the job", MADE_MS);
  };
  const modelAt = async (url: string) => readImx(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  /** Stores clips of a run, as an attempt that crashed would have: filming is most of the work. */
  const storeClips = async (run: number, actions: readonly string[] = GESTURE_NAMES) => {
    for (const action of actions) await storage.put(clipKey(agentId, run, action), Buffer.from("the clip"));
  };
  await api.call("POST", "/v1/webhooks", { secret, body: { url: receiver.url } });
  const eventsOf = (of: string) => receiver.received.filter(({ body }) => body.data.agent_id === of);
  return {
    api,
    secret,
    rich,
    userId,
    database,
    storage,
    services,
    addFace,
    code,
    agentOf,
    agentId,
    post,
    get,
    put,
    detail,
    left,
    rowOf,
    untilEnded,
    untilJobIsGone,
    modelAt,
    storeClips,
    eventsOf,
  };
}

async function refusesOrders(
  t: Test,
  { api, secret, userId, database, addFace, code, agentOf, post, get, put, detail, left }: Stage,
): Promise<void> {
  const poor = await api.addAccount({ credits: PRICE - 1 });
  const free = await api.addAccount({ plan: "free", credits: PRICE });
  await addAgent(api.services, { userId: poor.account.userId, code: "poor-agent" });
  const gone = await addFace("gone");
  await api.call("DELETE", `/v1/agent/${gone}`, { secret });
  await addAgent(api.services, { userId, code: "photo", families: [] });
  await addAgent(api.services, { userId, code: "young", families: [] });
  await updateAgent(database, (await agentOf("young")).id, { status: "generating" }, new Date(0));
  const by = (other: { secret: string }, agent_id: string) =>
    api.call("POST", GENERATE, { secret: other.secret, body: { agent_id } });
  const path = (method: string, of: string) =>
    api.call(method, `/v1/dynamics/${of}`, { secret, body: method === "PUT" ? { dynamics: {} } : undefined });
  const refusals: [string, Promise<TestAnswer>, number, string, RegExp?][] = [
    ["no agent", api.call("POST", GENERATE, { secret, body: {} }), 400, "MISSING_PARAM", /agent_id/],
    ["too short", post({ duration: 0.5 }), 400, "VALIDATION_ERROR", /duration/],
    ["too long", post({ duration: 10.5 }), 400, "VALIDATION_ERROR", /duration/],
    ["no length", post({ duration: "five" }), 400, "VALIDATION_ERROR", /duration/],
    ["a file of ours", post({ image_url: "file:///etc/passwd" }), 400, "VALIDATION_ERROR", /image_url/],
    ["another face", post({ image_url: "https://x.test/me.jpg" }), 400, "VALIDATION_ERROR", /own portrait/],
    ["no URL", post({ image_url: "me" }), 400, "VALIDATION_ERROR", /image_url/],
    ["no credential", api.call("POST", GENERATE, { body: { agent_id: code } }), 401, "MISSING_AUTH"],
    ["an unknown agent", post({ agent_id: "none" }), 404, "NOT_FOUND", /^Agent not found/],
    ["another's agent", post({ agent_id: "poor-agent" }), 404, "NOT_FOUND"],
    ["a deleted agent", post({ agent_id: gone }), 410, "AGENT_DELETED"],
    ["an agent that is being made", post({ agent_id: "young" }), 409, "AGENT_NOT_READY"],
    ["an agent without a file", post({ agent_id: "photo" }), 409, "MODEL_NOT_GENERATED", /models/],
    ["too few credits", by(poor, "poor-agent"), 402, "INSUFFICIENT_BALANCE", /250 needed/],
    ["the free plan", by(free, code), 403, "PLAN_REQUIRED"],
    ["reading of another's", path("GET", "poor-agent"), 404, "NOT_FOUND"],
    ["reading of a deleted one", path("GET", gone), 410, "AGENT_DELETED"],
    ["changing of a deleted one", path("PUT", gone), 410, "AGENT_DELETED"],
    ["no configuration", api.call("PUT", `/v1/dynamics/${code}`, { secret, body: {} }), 400, "MISSING_PARAM"],
  ];
  for (const [title, sent, httpStatus, errorCode, message = /\S/] of refusals) {
    const { status, body } = await sent;
    t.match({ status, error: body.error }, { status: httpStatus, error: { code: errorCode, message } }, title);
  }
  t.match((await by(poor, "poor-agent")).body.error.topup_url, /^http/);
  t.equal(await left(), CREDITS);
  t.same(await database.selectFrom("agent_dynamics").select("agent_id").execute(), []);
  const none = { url: null, status: "ready", agent_id: code, gestures: {}, enabled: false, duration: null };
  t.match(await get(), none, "no gestures were made");
  t.match((await detail()).dynamics, { enabled: false });
  t.match(await put({ dynamics: { talking: 1 } }), {
    success: true,
    agent_id: code,
    regeneration_status: "failed",
    regeneration_error: /generate/,
  });
  t.same((await detail()).dynamics, { enabled: false, talking: 1 }, "but it is kept");
  t.match(await put({ dynamics: { result: "x".repeat(20_000) } }), { error: { code: "VALIDATION_ERROR" } });
}

async function orderOfDefaultModel(t: Test, { api, rich, database, agentOf }: Stage): Promise<void> {
  const generated = { agent_id: "photo-only", prompt: "You are Nova." };
  t.equal((await api.call("POST", "/v1/agent/generate", { secret: rich, body: generated })).status, 200);
  await waitFor(async () => (await agentOf("photo-only")).status === "ready", "the agent", MADE_MS);
  t.same(
    (await agentOf("photo-only")).models.map(({ family }) => family),
    ["expression-1"],
  );
  const ordered = await api.call("POST", GENERATE, {
    secret: rich,
    body: { agent_id: "photo-only", duration: 1 },
  });
  t.match(ordered, { status: 200, body: { success: true } });
  const row = await findDynamics(database, (await agentOf("photo-only")).id);
  t.match(row, { status: /processing|generating|ready/ });
}

async function makesGesturesOnce(
  t: Test,
  { api, secret, storage, code, agentOf, post, get, detail, left, untilEnded, modelAt, storeClips, eventsOf }: Stage,
): Promise<void> {
  // The others would take the same path.
  await storeClips(
    1,
    GESTURE_NAMES.filter((name) => name !== "laugh_react"),
  );
  const { image_url } = await detail();
  const send = () => post({ model: "kling-v3", image_url }, { "idempotency-key": "twice" });
  const [one, two] = await Promise.all([send(), send()]);
  t.match(one.body, { success: true, message: /being generated/, agent_id: code, status: "processing" });
  t.notOk(one.body.warnings);
  t.same(two.body, one.body);
  t.same([one, two].map(({ headers }) => headers.get("idempotency-replayed")).sort(), [null, "true"]);
  for (const other of [{ duration: 2, model: "kling-v3", image_url }, { model: "speed", image_url }, { image_url }]) {
    t.match((await post(other, { "idempotency-key": "twice" })).body.error, { httpStatus: 409 });
  }
  t.match(await get(), { url: null, status: /processing|generating/, gestures: {} });
  t.match((await post({})).body, { success: true, message: /already/ }, "not charged twice");
  const data = await untilEnded();
  t.match(data, {
    url: /\.imx/,
    status: "ready",
    enabled: true,
    duration: 1,
    progress: 1,
    error_message: null,
  });
  t.equal(await left(), CREDITS - PRICE);
  t.same(Object.keys(data.gestures).sort(), [...GESTURE_NAMES].sort());
  t.equal(new Set(Object.values(data.gestures)).size, GESTURE_NAMES.length);
  t.match(data.descriptions.mini_wave_hello, /No hand/);
  t.ok(data.cues.mini_wave_hello.includes("good morning"));
  t.notOk("wink" in data.cues, "a wink goes with no words");
  const path = join(t.testdir(), "clip.mp4");
  await writeFile(path, Buffer.from(await (await fetch(data.gestures.laugh_react)).arrayBuffer()));
  const clip = await probeFilm(path);
  t.match(clip, { widthPx: SIDE_PX, heightPx: SIDE_PX, videoCodec: "h264" });
  t.equal(clip.frames.length, 25, "a second");
  const expected = gestureTracks({ seconds: 1, seed: 1 });
  for (const { artifactKey, family } of (await agentOf(code)).models) {
    const { manifest, gestures } = await readImx(await storage.readAll(artifactKey ?? ""));
    t.same(manifest.dynamics, { seconds: 1, seed: 1 }, family);
    t.same(gestures.get("nod"), expected.get("nod"));
  }
  t.same((await modelAt(data.url)).manifest.gestures, GESTURE_NAMES);
  t.same((await detail()).dynamics, { enabled: true, talking: 1 });
  await waitFor(() => eventsOf(code).length > 0, "the event", MADE_MS);
  t.match(eventsOf(code)[0].body, { event: "dynamics.ready", data: { gestures: [...GESTURE_NAMES], code } });
  const { data: usage } = (await api.call("GET", "/v1/usage", { secret })).body;
  t.match(usage, [
    {
      activity_type: "dynamics_generation",
      pricing_code: "usage_dynamics_generation_by_api",
      credits_change: PRICE,
      agent_code: code,
    },
  ]);
}

async function changesGestures(
  t: Test,
  { code, get, put, detail, left, untilEnded, modelAt, storeClips }: Stage,
): Promise<void> {
  const before = { credits: await left(), ...(await get()) };
  await storeClips(2);
  t.match(await put({ dynamics: { enabled: true, batch_results: [1] }, toggle_enabled: false }), {
    success: true,
    agent_id: code,
    regeneration_status: "started",
  });
  t.match(await put({ dynamics: {} }), { regeneration_status: "started" }, "one run for both");
  t.match(await get(), { gestures: { nod: /\.mp4/ }, url: /\.imx/ }, "those of before, until the end");
  const data = await untilEnded();
  t.match(data, { status: "ready", enabled: false });
  t.same((await detail()).dynamics, { talking: 1, batch_results: [1], enabled: false });
  t.equal(await left(), before.credits);
  t.not(data.gestures.nod, before.gestures.nod);
  for (const url of [data.gestures.nod, before.gestures.nod, before.url]) t.equal((await fetch(url)).status, 200);
  t.same((await modelAt(data.url)).manifest.dynamics, { seconds: 1, seed: 2 });
}

async function keepsGesturesOfRebakedModel(t: Test, { api, database, agentId, get, modelAt }: Stage): Promise<void> {
  const { url } = await get();
  const tracks = (await modelAt(url)).gestures;
  api.agents.baker = {
    ...api.agents.baker,
    bake: (task) => performBake({ task: "bake", ...task }, runtime, () => undefined),
  };
  await database
    .updateTable("agent_models")
    .set({ generator_version: "1.0.0", replaced_key: null })
    .where("agent_id", "=", agentId)
    .where("family", "=", "essence-2")
    .execute();
  await updateAgent(database, agentId, { galleryId: api.agents.gallery.entries[0].id }, new Date(0));
  await rebakeJob(api.agents).run({}, { attempt: 1, isLastAttempt: false, signal: new AbortController().signal });
  const after = await modelAt((await get()).url);
  t.not((await get()).url, url);
  t.same(after.manifest.dynamics, { seconds: 1, seed: 2 });
  t.same(after.gestures.get("wink"), tracks.get("wink"));
}

async function refundsWhatFails(
  t: Test,
  {
    api,
    userId,
    database,
    services,
    code,
    agentOf,
    agentId,
    post,
    get,
    put,
    left,
    untilEnded,
    storeClips,
    eventsOf,
  }: Stage,
): Promise<void> {
  const before = await left();
  await addAgent(api.services, { userId, code: "broken" });
  t.match((await post({ agent_id: "broken" })).body, { success: true });
  t.match(await untilEnded("broken"), { status: "failed", url: null, gestures: {}, error_message: /\.imx/ });
  await waitFor(() => eventsOf("broken").length > 0, "the event", MADE_MS);
  t.match(eventsOf("broken")[0].body, { event: "dynamics.failed", data: { error: /\.imx/ } });
  t.equal(await left(), before);

  const { revision } = await agentOf(code);
  const run = 3;
  const lost = { agentId, userId, agentCode: code, run, revision, isCharged: false, seconds: 1 };
  await database.transaction().execute((transaction) => startRun(transaction, { ...lost, updatedAt: new Date(0) }));
  await failOrphanedRuns(services);
  t.match(await get(), { status: "failed", error_message: /interrupted/, gestures: { nod: /\.mp4/ } });
  // A clip that an attempt stored before it crashed.
  await storeClips(run + 1, GESTURE_NAMES.slice(1));
  await put({ dynamics: { enabled: true } });
  const { gestures, enabled } = await untilEnded();
  t.equal(enabled, true);
  t.equal(await (await fetch(gestures.nod)).text(), "the clip", "is not filmed again");
  t.match(await (await fetch(gestures[GESTURE_NAMES[0]])).text(), /ftyp/, "the others are");
  t.match((await api.call("GET", "/metrics")).body, /avatar_dynamics_total{result="failed"} [12]/);
}

async function leavesFilesOfOvertakenAttempt(
  t: Test,
  { storage, services, code, agentOf, agentId, put, rowOf, untilJobIsGone, storeClips }: Stage,
): Promise<void> {
  const run = ((await rowOf())?.run ?? 0) + 1;
  await storeClips(run);
  await put({ dynamics: {} });
  const context = { attempt: 1, isLastAttempt: false, signal: new AbortController().signal };
  await dynamicsJob(services).run({ agentId, run }, context);
  await untilJobIsGone();
  t.match(await rowOf(), { status: "ready", madeRun: run });
  const { models } = await agentOf(code);
  const keys = [clipKey(agentId, run, "nod"), ...models.map(({ artifactKey }) => artifactKey ?? "")];
  for (const key of keys) t.ok(await storage.sizeOf(key), key);
}

async function endsWithTheFace(t: Test, { database, agentId, get, put }: Stage): Promise<void> {
  await database.updateTable("agents").set({ revision: 2 }).where("id", "=", agentId).execute();
  t.match(await get(), { url: null, status: "ready", gestures: {} });
  t.match(await put({ dynamics: {} }), { regeneration_status: "failed" });
  await database.updateTable("agents").set({ revision: 1 }).where("id", "=", agentId).execute();
  t.match(await get(), { gestures: { nod: /\.mp4/ } });
}

async function goesWithTheAgent(
  t: Test,
  { api, secret, storage, code, agentOf, agentId, post, get, left, rowOf, untilJobIsGone }: Stage,
): Promise<void> {
  const before = await left();
  const { gestures } = await get();
  await post({ duration: 3 });
  await waitFor(async () => ((await rowOf())?.progress ?? 0) > 0, "the first clip", MADE_MS);
  const agent = await agentOf(code);
  const run = (await rowOf())?.run ?? 0;
  t.equal((await api.call("DELETE", `/v1/agent/${code}`, { secret })).status, 200);
  await waitFor(async () => (await rowOf())?.status === "failed", "the end", MADE_MS);
  t.equal(await left(), before, "refunded in full");
  await waitFor(async () => (await fetch(gestures.nod)).status === 404, "the deletion of the clips", MADE_MS);
  t.match((await post({})).body.error, { code: "AGENT_DELETED", httpStatus: 410 });
  await untilJobIsGone();
  t.equal(await storage.sizeOf(clipKey(agentId, run, "nod")), null);
  t.equal(await storage.sizeOf(dynamicsModelKey(agent, "essence-2", run)), null);
}

/** A face as small as the rig allows: its clips are made in a fraction of the time. */
async function smallFace(): Promise<Uint8Array> {
  const face = await drawnFace();
  const canvas = { widthPx: SIDE_PX, heightPx: SIDE_PX };
  return writeImx((await bakeImx(face.image, face, bakeTools, { family: "essence-2-light", canvas })).imx);
}
