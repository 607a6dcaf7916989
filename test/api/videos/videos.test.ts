import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { balanceOf, chargeCredits } from "../../../api/accounts/credits/ledger.ts";
import { findAgentByCode } from "../../../api/agents/record/agent-store.ts";
import { enqueueFilm } from "../../../api/videos/making/video-queue.ts";
import { completeVideo, failOrphanedVideos } from "../../../api/videos/settle-video.ts";
import { chargeReference, filmKey } from "../../../api/videos/video.ts";
import { findVideo, insertVideo, noteFilm } from "../../../api/videos/video-store.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";
import { probeFilm } from "../../helpers/files/probe-film.ts";
import { type WebhookReceiver, withWebhookReceiver } from "../../helpers/servers/with-webhook-receiver.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type TestAnswer, type TestApi, withApi } from "../../helpers/service/with-api.ts";
import { QUICK } from "../../helpers/service/with-webhooks.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const GENERATE = "/v1/video/generate";
const RATE_HZ = 16_000;
const CREDITS = 100;
/** The price of the longest video with essence-2, and of a short one. */
const [UPFRONT, MINUTE] = [8, 4];
/** Films are made one after the other, on a machine that is busy with other tests. */
const MADE_MS = 180_000;
const TEXT = "Shall we begin with the whales?";
/** Stands for an address of the operator's own network. */
const DENIED = "127.0.0.2";

// One api and one face for all: baking takes longer than a film.
await t.test("talking videos", (t) =>
  withWebhookReceiver((receiver) =>
    withMediaServer((media) =>
      withApi(
        async (api) => {
          const stage = await openStage(api, receiver, media);
          await t.test("a refused order charges nothing and leaves no video", (t) => refusesOrders(t, stage));
          await t.test("a text becomes a film with subtitles; what it did not cost is refunded", (t) =>
            filmsAText(t, stage),
          );
          await t.test("the same key twice at once makes one film, of a recording, from a form", (t) =>
            filmsARecordingOnce(t, stage),
          );
          await t.test("a recording that cannot be filmed fails its video, which is refunded in full", (t) =>
            refundsUnusableRecordings(t, stage),
          );
          await t.test("a film that was stored before a crash is not made again; a lost job is refunded", (t) =>
            resumesAfterACrash(t, stage),
          );
          await t.test("an account lists its videos, newest first, in pages and by agent and status", (t) =>
            listsVideos(t, stage),
          );
          await t.test("a deleted video is gone; one that is being made stops, and is refunded", (t) =>
            deletesVideos(t, stage),
          );
          await t.test("the videos of a deleted agent go with it, and rendering stops", (t) =>
            goesWithTheAgent(t, stage),
          );
        },
        {
          environment: {
            AVATAR_ALLOW_PRIVATE_ADDRESSES: "1",
            AVATAR_DENIED_ADDRESSES: DENIED,
            AVATAR_VOICE: "formant",
          },
          policies: { webhooks: QUICK, filmNiceness: 0 },
        },
      ),
    ),
  ),
);

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage(api: TestApi, receiver: WebhookReceiver, media: string) {
  const { account, secret } = await api.addAccount({ plan: "business", credits: CREDITS });
  const { userId } = account;
  const { database, storage } = api.services;
  const imx = await writeImx(await bakedFace("drawing"));
  const addFace = async () => {
    const code = await addAgent(api.services, { userId });
    await storage.put(`models/${code}-essence-2.imx`, imx);
    return code;
  };
  const code = await addFace();
  const doomed = await addFace();
  const resumedId = `vid_${"a".repeat(20)}`;
  const lostId = `vid_${"b".repeat(20)}`;
  const post = (body: object, headers?: Record<string, string>) =>
    api.call("POST", GENERATE, { secret, headers, body: { agent_code: code, model: "essence-2", ...body } });
  const get = (id: string) => api.call("GET", `/v1/video/${id}`, { secret });
  const say = (text: unknown, more = {}) => ({ input: { type: "text", text, ...more } });
  const play = (path: string) => ({ input: { type: "audio", audio_url: `${media}${path}` } });
  const left = async () => (await balanceOf(database, userId)).total;
  const untilEnded = (id: string) =>
    waitFor(
      async () => (await findVideo(database, id))?.status !== "processing" && (await get(id)).body,
      `the end of ${id}`,
      MADE_MS,
    );
  await api.call("POST", "/v1/webhooks", { secret, body: { url: receiver.url } });
  const eventOf = (id: string) =>
    waitFor(() => receiver.received.find(({ body }) => body.data.job_id === id)?.body, `event of ${id}`);
  return {
    api,
    account,
    secret,
    userId,
    database,
    storage,
    code,
    doomed,
    resumedId,
    lostId,
    post,
    get,
    say,
    play,
    left,
    untilEnded,
    eventOf,
  };
}

async function refusesOrders(t: Test, { api, database, code, post, get, say, left }: Stage): Promise<void> {
  const poor = await api.addAccount({ credits: UPFRONT - 1 });
  const free = await api.addAccount({ plan: "free", credits: CREDITS });
  await addAgent(api.services, { userId: poor.account.userId, code: "poor-agent" });
  const by = (other: { secret: string }, agentCode: string) =>
    api.call("POST", GENERATE, {
      secret: other.secret,
      body: { agent_code: agentCode, model: "essence-2", ...say(TEXT) },
    });
  const refusals: [string, Promise<TestAnswer>, number, string, RegExp?][] = [
    ["no input", post({}), 400, "MISSING_PARAM", /input/],
    ["another type", post({ input: { type: "song", text: TEXT } }), 400, "VALIDATION_ERROR", /type text or/],
    ["no text", post({ input: { type: "text" } }), 400, "MISSING_PARAM", /input\.text/],
    ["an empty text", post(say(" \n")), 400, "VALIDATION_ERROR", /empty/],
    ["5,001 characters", post(say("🐋".repeat(5_001))), 400, "VALIDATION_ERROR", /5000/],
    ["an unknown voice", post(say(TEXT, { voice: "X9" })), 400, "VALIDATION_ERROR", /X9.*M1/],
    ["an unknown emotion", post(say(TEXT, { emotion: "joy" })), 400, "VALIDATION_ERROR", /emotion .*neutral, happy/],
    [
      "one beside a recording",
      post({ input: { type: "audio", emotion: "joy" } }),
      400,
      "VALIDATION_ERROR",
      /neutral, happy/,
    ],
    ["nothing but a tag", post(say(" [happy] ")), 400, "VALIDATION_ERROR", /empty/],
    ["no address", post({ input: { type: "audio" } }), 400, "MISSING_PARAM", /audio_url/],
    ["a file of ours", post(audio("file:///etc/passwd")), 400, "VALIDATION_ERROR"],
    ["a private address", post(audio(`http://${DENIED}/a.wav`)), 400, "VALIDATION_ERROR", /private/],
    ["no resolution", post({ ...say(TEXT), resolution: "4k" }), 400, "VALIDATION_ERROR", /resolution must be/],
    ["odd sizes", post({ ...say(TEXT), resolution: "417x720" }), 400, "VALIDATION_ERROR", /even/],
    ["too large", post({ ...say(TEXT), resolution: "2000x1080" }), 400, "VALIDATION_ERROR", /1920/],
    ["an unknown model", post({ ...say(TEXT), model: "essence-9" }), 400, "VALIDATION_ERROR", /essence-2/],
    ["a model not offered", post({ ...say(TEXT), model: "essence-2-quality" }), 400, "MODEL_NOT_OFFERED"],
    ["a model it lacks", post({ ...say(TEXT), model: "expression-2" }), 409, "MODEL_NOT_GENERATED"],
    ["an unknown agent", post({ ...say(TEXT), agent_code: "none" }), 404, "NOT_FOUND", /^Agent not found/],
    ["another's agent", post({ ...say(TEXT), agent_code: "poor-agent" }), 404, "NOT_FOUND"],
    ["too few credits", by(poor, "poor-agent"), 402, "INSUFFICIENT_BALANCE", /8 needed/],
    ["the free plan", by(free, code), 403, "PLAN_REQUIRED"],
    ["an unknown video", get("vid_00000000000000000000"), 404, "NOT_FOUND"],
  ];
  for (const [title, sent, httpStatus, errorCode, message = /\S/] of refusals) {
    const { status, body } = await sent;
    t.match({ status, error: body.error }, { status: httpStatus, error: { code: errorCode, message } }, title);
  }
  t.match((await by(poor, "poor-agent")).body.error.topup_url, /^http/);
  t.equal(await left(), CREDITS);
  t.same(await database.selectFrom("videos").select("id").execute(), []);
}

async function filmsAText(
  t: Test,
  { api, secret, database, code, post, get, say, left, eventOf }: Stage,
): Promise<void> {
  const { status, body } = await post({ ...say(`[sad:0.4] ${TEXT}`, { voice: "F3", emotion: "happy" }), wait: true });
  t.equal(status, 200);
  t.match(body, {
    success: true,
    job_id: /^vid_[0-9a-f]{20}$/,
    status: "completed",
    model: "essence-2",
    progress: 1,
    agent_code: code,
    credits_charged: MINUTE,
    created_at: /Z$/,
  });
  t.equal(await left(), CREDITS - MINUTE);
  const { data: usage } = (await api.call("GET", "/v1/usage", { secret })).body;
  t.same(
    usage.map((row: { activity_type: string; pricing_code: string; credits_change: number }) => [
      row.activity_type,
      row.pricing_code,
      row.credits_change,
    ]),
    [
      ["refund", "credit_refund_usage_talking_video_essence_2_by_api", MINUTE - UPFRONT],
      ["talking_video", "usage_talking_video_essence_2_by_api", UPFRONT],
    ],
  );
  t.same((await get(body.job_id)).body, body);
  const other = await api.addAccount();
  t.equal((await api.call("GET", `/v1/video/${body.job_id}`, other)).status, 404);
  const { success: _, ...data } = body;
  t.match(await eventOf(body.job_id), { event: "video.completed", data: { ...data, agent_id: code, code } });
  t.equal((await findVideo(database, body.job_id))?.input, null, "the text is not kept");

  const film = await fetchFilm(body.video_url, t.testdir());
  t.match(film, { widthPx: 512, heightPx: 512, videoCodec: "h264", audioCodec: "aac" });
  t.match(body, { width: 512, height: 512 }, "without resolution, the agent's canvas, as the answer says");
  t.equal(film.frames.length, body.duration_seconds * 25);
  t.ok(film.frames.length > 25);
  t.ok(
    film.frames.every(({ timeS }, index) => Math.abs(timeS - index / 25) < 1e-6),
    "25 fps",
  );
  t.ok(film.boxes.indexOf("moov") < film.boxes.indexOf("mdat"), "it plays before it is loaded");
  t.equal(film.boxes.at(-1), "uuid", "it ends with the mark of generated media");
  const part = await fetch(body.video_url, { headers: { range: "bytes=4-7" } });
  t.match([part.status, part.headers.get("content-type"), await part.text()], [206, "video/mp4", "ftyp"]);
  const subtitles = await fetch(body.subtitles_url);
  t.equal(subtitles.headers.get("content-type"), "text/vtt; charset=utf-8");
  t.match(await subtitles.text(), new RegExp(`^WEBVTT\\n\\n00:00:00.000 --> 00:00:0\\d.\\d{3}\\n${TEXT.slice(0, -1)}`));
}

async function filmsARecordingOnce(t: Test, { api, secret, code, post, play, left, untilEnded }: Stage): Promise<void> {
  const before = await left();
  const send = () => {
    const form = new FormData();
    form.set("agent_code", code);
    form.set("model", "essence-2-cpu");
    form.set("input", JSON.stringify(play("/two-seconds.wav").input));
    return api.call("POST", GENERATE, { secret, body: form, headers: { "idempotency-key": "twice" } });
  };
  const [one, two] = await Promise.all([send(), send()]);
  t.match(one.body, { success: true, status: "processing" });
  t.same(two.body, one.body);
  const replays = [one, two].map(({ headers }) => headers.get("idempotency-replayed"));
  t.same(replays.sort(), [null, "true"]);
  t.equal(await left(), before - UPFRONT);
  t.match((await post(play("/other.wav"), { "idempotency-key": "twice" })).body.error, { httpStatus: 409 });
  const ended = await untilEnded(one.body.job_id);
  t.match(ended, { status: "completed", model: "essence-2-cpu", duration_seconds: 2 });
  t.notOk(ended.subtitles_url, "the text is not known");
  t.equal((await fetchFilm(ended.video_url, t.testdir())).frames.length, 50);
  t.equal(await left(), before - MINUTE);
}

async function refundsUnusableRecordings(
  t: Test,
  { api, post, play, left, untilEnded, eventOf }: Stage,
): Promise<void> {
  const before = await left();
  const faults: [string, object, RegExp][] = [
    ["no file", play("/missing.wav"), /404/],
    ["no audio", play("/words.txt"), /audio_url cannot be decoded/],
    ["too long", play("/long.wav"), /longer than 120 seconds/],
  ];
  const ids = await Promise.all(faults.map(async ([, body]) => (await post(body)).body.job_id));
  for (const [index, [title, , message]] of faults.entries()) {
    const ended = await untilEnded(ids[index]);
    t.match(ended, { status: "failed", error: { message } }, title);
    t.notOk("video_url" in ended || "credits_charged" in ended, title);
    t.match(await eventOf(ids[index]), { event: "video.failed", data: { error: { message } } }, title);
  }
  t.equal(await left(), before);
  const { body } = await api.call("GET", "/metrics");
  t.match(body, /avatar_videos_total{result="failed"} 3/);
  t.match(body, /avatar_videos_total{result="completed"} 2/);
}

async function resumesAfterACrash(
  t: Test,
  { api, account, userId, database, storage, doomed, resumedId, lostId, get, left, untilEnded }: Stage,
): Promise<void> {
  const before = await left();
  const agent = await findAgentByCode(database, doomed);
  const order = async (id: string, isQueued: boolean) => {
    const at = new Date(api.clock.now());
    await database.transaction().execute(async (transaction) => {
      await insertVideo(transaction, {
        id,
        userId,
        agentId: agent?.id ?? "",
        agentCode: doomed,
        family: "essence-2",
        model: "essence-2",
        rateCredits: MINUTE,
        createdAt: at,
        input: { type: "text", text: TEXT, voiceId: null },
      });
      await chargeCredits(transaction, {
        account,
        amountCredits: UPFRONT,
        reason: "test",
        agentCode: doomed,
        at,
        reference: chargeReference(id),
        links: { topupUrl: "", upgradeUrl: "" },
      });
      if (!isQueued) return;
      await noteFilm(transaction, id, { durationMs: 60_040, hasSubtitles: false });
      await storage.put(filmKey(id), Buffer.from("the film"));
      await enqueueFilm(transaction, { id, userId });
    });
  };
  await order(resumedId, true);
  const resumed = await untilEnded(resumedId);
  t.match(resumed, { status: "completed", duration_seconds: 60.04, credits_charged: 2 * MINUTE });
  t.equal(await (await fetch(resumed.video_url)).text(), "the film");
  const settling = { ...api.services, countVideo: () => undefined };
  await completeVideo(settling, resumedId);
  t.ok(await storage.sizeOf(filmKey(resumedId)), "an attempt that another one overtakes leaves the film");
  await order(lostId, false);
  await failOrphanedVideos(settling);
  t.match((await get(lostId)).body, { status: "failed", error: { message: /interrupted/ } });
  t.equal(await left(), before - 2 * MINUTE);
}

async function listsVideos(t: Test, { api, secret, code, doomed, resumedId, lostId, get }: Stage): Promise<void> {
  const ask = (query = "", by = secret) => api.call("GET", `/v1/videos${query}`, { secret: by });
  const all = (await ask()).body;
  const { data, pagination } = all as { data: { job_id: string; created_at: string }[]; pagination: object };
  t.same(Object.keys(all).sort(), ["data", "pagination", "success"]);
  t.same(pagination, { limit: 20, offset: 0, total: 7, has_more: false });
  const times = data.map(({ created_at: at }) => at);
  t.same(times, times.toSorted().reverse());
  for (const video of data)
    t.same({ success: true, ...video }, (await get(video.job_id)).body, "as each is read alone");
  const page = (await ask("?limit=2&offset=3")).body;
  t.same(page.data, data.slice(3, 5));
  t.same(page.pagination, { limit: 2, offset: 3, total: 7, has_more: true });
  const ids = async (query: string) => (await ask(query)).body.data.map((video: { job_id: string }) => video.job_id);
  t.same((await ids(`?agent_code=${doomed}`)).sort(), [resumedId, lostId]);
  t.same(await ids(`?agent_code=${doomed}&status=failed`), [lostId]);
  t.equal((await ids(`?agent_code=${code}&status=completed`)).length, 2);
  t.same((await ask("", (await api.addAccount()).secret)).body.data, [], "another account has none of them");
  for (const query of ["?limit=101", "?limit=0", "?offset=-1", "?status=lost"]) {
    t.match((await ask(query)).body.error, { code: "VALIDATION_ERROR" }, query);
  }
}

async function deletesVideos(
  t: Test,
  { api, secret, database, storage, code, post, get, say, left }: Stage,
): Promise<void> {
  const remove = (id: string, by = secret) => api.call("DELETE", `/v1/video/${id}`, { secret: by });
  const listed = async () => (await api.call("GET", `/v1/videos?agent_code=${code}`, { secret })).body.data;
  const [done] = (await listed()).filter((video: { status: string }) => video.status === "completed");
  t.match(await remove(done.job_id, (await api.addAccount()).secret), { status: 404 });
  t.match(await remove(done.job_id), { status: 200, body: { deleted: true } });
  t.equal(await storage.sizeOf(filmKey(done.job_id)), null);
  t.equal((await fetch(done.video_url)).status, 404);
  t.match((await get(done.job_id)).body.error, { code: "NOT_FOUND" });
  t.match(await remove(done.job_id), { status: 404 }, "once");
  const before = await left();
  const { job_id: id } = (await post(say(`${TEXT} `.repeat(40)))).body;
  await waitFor(async () => ((await findVideo(database, id))?.progress ?? 0) > 0, "the first frames", MADE_MS);
  t.match(await remove(id), { status: 200 });
  t.equal(await left(), before, "refunded in full");
  t.match((await get(id)).body, { status: "failed", error: { message: /was deleted/ } });
  const ids = (await listed()).map((video: { job_id: string }) => video.job_id);
  t.notOk(ids.includes(done.job_id) || ids.includes(id), "neither is listed");
}

async function goesWithTheAgent(
  t: Test,
  { api, secret, database, storage, doomed, resumedId, post, get, say, play, left, untilEnded }: Stage,
): Promise<void> {
  const before = await left();
  const done = (await get(resumedId)).body;
  const { job_id: id } = (await post({ ...say(`${TEXT} `.repeat(40)), agent_code: doomed })).body;
  await waitFor(async () => ((await findVideo(database, id))?.progress ?? 0) > 0, "the first frames", MADE_MS);
  t.equal((await api.call("DELETE", `/v1/agent/${doomed}`, { secret })).status, 200);
  t.match(await untilEnded(id), { status: "failed", error: { message: /agent was deleted/ } });
  t.equal(await left(), before, "refunded in full");
  await waitFor(async () => (await findVideo(database, done.job_id))?.deletedAt, "the deletion of the film");
  t.match((await get(done.job_id)).body.error, { code: "AGENT_DELETED" });
  const listed = (await api.call("GET", `/v1/videos?agent_code=${doomed}`, { secret })).body.data;
  t.notOk(
    listed.some((video: { job_id: string }) => video.job_id === done.job_id),
    "its film is not listed",
  );
  t.equal((await fetch(done.video_url)).status, 404);
  const late = await post({ ...say(TEXT), agent_code: doomed });
  t.match(late.body.error, { code: "AGENT_DELETED", httpStatus: 410 });
  // The next one is begun only when the process of this one is gone.
  t.match((await post({ ...play("/missing.wav"), wait: "true" })).body, { status: "failed" });
  t.equal(await storage.sizeOf(filmKey(id)), null);
}

function audio(url: string): { input: object } {
  return { input: { type: "audio", audio_url: url } };
}

/** Downloads a film and reads it as a player would, with the types of its boxes. */
async function fetchFilm(url: string, folder: string) {
  const path = join(folder, "film.mp4");
  await writeFile(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
  const bytes = await readFile(path);
  const boxes: string[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    boxes.push(bytes.toString("latin1", at + 4, at + 8));
  return { ...(await probeFilm(path)), boxes };
}

/** Gives `work` the base URL of a server with recordings. */
async function withMediaServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const tone = (seconds: number) =>
    writeWav({
      samples: Int16Array.from({ length: seconds * RATE_HZ }, (_, i) => 8_000 * Math.sin(i / 12)),
      sampleRateHz: RATE_HZ,
    });
  const files = new Map<string | undefined, Uint8Array>([
    ["/two-seconds.wav", tone(2)],
    ["/long.wav", tone(120.5)],
    ["/words.txt", Buffer.from("Not a recording. ".repeat(100))],
  ]);
  const server = createServer(({ url }, response) => {
    const file = files.get(url);
    response.writeHead(file ? 200 : 404).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
