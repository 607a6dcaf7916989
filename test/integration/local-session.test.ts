// Sessions that their viewers render, with a real worker: what counts as time without video and what that costs, and
// the process that they share.
import { setTimeout as delay } from "node:timers/promises";
import { type RemoteParticipant, RoomEvent, TrackKind } from "@livekit/rtc-node";
import t from "tap";
import { ANNOUNCING_LIMIT_MS } from "../../agent-worker/session/rendered-video.ts";
import { STILL_MAX_BYTES } from "../../shared/runtime-api.ts";
import { AGENT_NAME } from "../../shared/wire-names.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { AvatarWatch } from "../../web/embed/avatar-watch.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import type { LiveKitAccess } from "../helpers/livekit/use-livekit.ts";
import { withLiveKit } from "../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { type TestWorker, withWorker } from "../helpers/service/with-worker.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only a test that hangs: on a busy machine, starting a session process takes up to half a minute. */
const SLOW_MS = 120_000;
const START_MS = 60_000;
const LOCAL = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };
/** Of which up to six sessions that viewers render take one. */
const SLOTS = { AVATAR_ADMISSION: "fixed", AVATAR_MAX_SESSIONS: "2" };

interface Stage {
  api: TestApi;
  worker: TestWorker;
  livekit: LiveKitAccess;
  userId: string;
  secret: string;
  agentCode: string;
  visits: Visit[];
}

interface Visit {
  id: string;
  room: TestRoom;
}

/** An account with an agent. Visitors who are left leave at the end. */
async function withStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  await withLiveKit((livekit) =>
    withApi(
      (api) =>
        withWorker({ livekit, environment: { ...LOCAL, ...SLOTS, AVATAR_API_URL: api.baseUrl } }, async (worker) => {
          const { account, secret } = await api.addAccount({ plan: "pro", credits: 10_000 });
          const { userId } = account;
          const agentCode = await addAgent(api.services, { userId });
          const file = await writeImx(await bakedFace("photograph"));
          await api.services.storage.put(`models/${agentCode}-essence-2.imx`, file);
          const visits: Visit[] = [];
          try {
            await work({ api, worker, livekit, userId, secret, agentCode, visits });
          } finally {
            await Promise.all(visits.map(({ room }) => room.disconnect()));
          }
        }),
      { livekit, environment: LOCAL },
    ),
  );
}

/** A visitor's page that renders has opened its session, and is in its room. */
async function visit(stage: Stage, fingerprint: string): Promise<Visit> {
  const { api, livekit, secret, userId, visits } = stage;
  const list = async (): Promise<{ id: string }[]> =>
    (await api.call("GET", `/v2/${userId}/runtime-sessions`, { secret })).body.data.sessions;
  const earlier = new Set((await list()).map(({ id }) => id));
  const body = { agent_id: stage.agentCode, fingerprint };
  const { token: bearer } = (await api.call("POST", "/v1/embed-tokens/request", { secret, body })).body.data;
  const started = await api.call("POST", "/embed/session", { bearer, body: { render: "local" } });
  if (started.body.renderer !== "local") throw new Error(`not started: ${JSON.stringify(started.body)}`);
  const room = new TestRoom();
  await room.connect(livekit.url, started.body.token, { autoSubscribe: false, dynacast: false });
  const { id } = (await list()).find((session) => !earlier.has(session.id))!;
  visits.push({ id, room });
  return { id, room };
}

/** The avatar, once it has published its video track in this room. */
function avatarIn(room: TestRoom): RemoteParticipant | undefined {
  const avatar = room.remoteParticipants.get(AGENT_NAME);
  const kinds = [...(avatar?.trackPublications.values() ?? [])].map(({ kind }) => kind);
  return kinds.includes(TrackKind.KIND_VIDEO) ? avatar : undefined;
}

function untilAvatar({ room }: Visit): Promise<RemoteParticipant> {
  return waitFor(() => avatarIn(room), "the avatar", START_MS);
}

/** Says it as the page does. */
async function needs({ room }: Visit, what: "motion" | "video"): Promise<unknown> {
  const findAvatar = () => room.remoteParticipants.get(AGENT_NAME);
  await waitFor(findAvatar, "the avatar is in the room", START_MS);
  const watch = new AvatarWatch({
    call: (method, payload, responseTimeout) =>
      room.localParticipant?.performRpc({ destinationIdentity: AGENT_NAME, method, payload, responseTimeout }),
    hasTracks: () => (findAvatar()?.trackPublications.size ?? 0) > 0,
  });
  return watch.ask(what);
}

t.test("a worker reports the time without video, which costs the self-hosted rate", { timeout: SLOW_MS }, async (t) => {
  await withStage(async (stage) => {
    const { api, secret } = stage;
    const openedMs = performance.now();
    const visitor = await visit(stage, "a visitor");
    const { id } = visitor;
    const seen = async () => (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body;
    const usage = async () =>
      (await api.call("GET", "/v1/usage", { secret })).body.data.map(
        ({ pricing_code }: { pricing_code: string }) => pricing_code,
      );
    const asked = await needs(visitor, "motion");
    t.same(asked, { ok: true, renders: "motion" }, "it is asked as soon as it is there");
    const heardS = (performance.now() - openedMs) / 1000;
    const { trackPublications } = await untilAvatar(visitor);
    const still = await waitFor(async () => {
      const headers = { "api-secret": secret };
      const answer = await fetch(`${api.baseUrl}/v1/runtime-sessions/${id}/still`, { headers });
      return answer.status === 200 && new Uint8Array(await answer.arrayBuffer());
    }, "a still of the face");
    t.same([...still.subarray(0, 3)], [0xff, 0xd8, 0xff], "a JPEG");
    t.ok(still.length > 2_000 && still.length <= STILL_MAX_BYTES, `${still.length} bytes`);
    const streamed = async () => {
      const { billed_seconds, viewer_rendered_seconds } = await seen();
      return billed_seconds - viewer_rendered_seconds;
    };
    // A busy machine takes its time until the page is heard, in which video counts.
    const rendered = async () => (await seen()).viewer_rendered_seconds;
    await waitFor(async () => (await rendered()) > 0, "a heartbeat");
    const [before, renderedBefore] = [await streamed(), await rendered()];
    await waitFor(async () => (await rendered()) > renderedBefore + 3, "some heartbeats");
    const local = await seen();
    t.ok(before <= heardS, `${before} s of video until the page was heard, after ${heardS} s`);
    t.equal(await streamed(), before, "no video was streamed since");
    const cloud = before > 0 ? ["usage_essence_2_model_cloud"] : [];
    t.same((await usage()).sort(), [...cloud, "usage_essence_2_model_self_hosted"]);

    t.same(await needs(visitor, "video"), { ok: true, renders: "video" });
    for (const publication of trackPublications.values()) publication.setSubscribed(true);
    await waitFor(async () => (await streamed()) > before + 3, "time with video");
    t.same((await usage()).sort(), ["usage_essence_2_model_cloud", "usage_essence_2_model_self_hosted"]);
    const ended = await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    t.equal(ended.status, 200);
    t.ok(ended.body.viewer_rendered_seconds >= local.viewer_rendered_seconds);
  });
});

/** The process that runs a session, as the worker logs it. */
function pidOf({ log }: TestWorker, { id }: Visit): number {
  const given = log.filter((line) => line.includes("session given to a process") && line.includes(id)).at(-1);
  return JSON.parse(given ?? "{}").runBy;
}

t.test("four sessions share a process, and all are back when it dies", { timeout: 2 * SLOW_MS }, async (t) => {
  await withStage(async (stage) => {
    const { api, secret, worker } = stage;
    const four: Visit[] = [];
    for (const name of ["one", "two", "three", "four"]) four.push(await visit(stage, name));
    await Promise.all(four.map(untilAvatar));
    for (const visitor of four) t.same(await needs(visitor, "motion"), { ok: true, renders: "motion" });
    const pid = pidOf(worker, four[0]);
    t.same(
      four.map((visitor) => pidOf(worker, visitor)),
      Array(4).fill(pid),
    );

    const status = async ({ id }: Visit) =>
      (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body.status;
    const [ended, streamed] = four;
    await api.call("POST", `/v1/runtime-sessions/${ended.id}/end`, { secret });
    // The room of a session that has ended is deleted, which its visitor may hear of first.
    await waitFor(() => !ended.room.isConnected || !avatarIn(ended.room), "the ended session's avatar has left");
    t.same(await needs(streamed, "video"), { ok: true, renders: "video" });
    t.match(await needs(four[2], "video"), { ok: false, code: "SERVICE_UNAVAILABLE" }, "no slot is left for another");
    for (const { trackPublications } of [avatarIn(streamed.room)!]) {
      for (const publication of trackPublications.values()) publication.setSubscribed(true);
    }
    // The first frames of a session announce its track. Those that follow are for viewers.
    await delay(ANNOUNCING_LIMIT_MS);
    const next = await visit(stage, "five");
    await untilAvatar(next);
    t.not(pidOf(worker, next), pid, "a process with a session that renders video takes no other");

    const left = four.slice(1);
    const gone = left.map(
      ({ room }) => new Promise<void>((resolve) => room.once(RoomEvent.ParticipantDisconnected, () => resolve())),
    );
    const diedAtMs = performance.now();
    process.kill(pid, "SIGKILL");
    await Promise.all(gone);
    await Promise.all(left.map(untilAvatar));
    t.comment(`all back after ${Math.round(performance.now() - diedAtMs)} ms`);
    const successors = left.map((visitor) => pidOf(worker, visitor));
    t.equal(new Set(successors).size, 1, "in one process");
    t.notOk(successors.includes(pidOf(worker, next)), "that others do not share");
    for (const visitor of [...left, next]) t.same(await needs(visitor, "motion"), { ok: true, renders: "motion" });
    t.same(await Promise.all([...left, next].map(status)), Array(4).fill("live"));
  });
});
