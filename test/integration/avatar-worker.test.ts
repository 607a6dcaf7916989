import { AccessToken } from "livekit-server-sdk";
import t from "tap";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../shared/wire-names.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import type { LiveKitAccess } from "../helpers/livekit/use-livekit.ts";
import { type TestLiveKit, withLiveKit } from "../helpers/livekit/with-livekit.ts";
import { withOwnLiveKit } from "../helpers/livekit/with-own-livekit.ts";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { TestListener, TestSender } from "../helpers/rooms/with-room-avatar.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { type TestWorker, withWorker } from "../helpers/service/with-worker.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only tests that hang: on a busy machine, starting a session process takes up to half a minute. */
const SLOW_MS = 120_000;
/** The callers' LiveKit server is on this machine, and not the service's own. */
const LOCAL = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };
const ATTRIBUTE_SECRET = "attribute-secret-that-must-not-leak";

interface Stack {
  api: TestApi;
  worker: TestWorker;
  /** Where the media rooms are: not the server that dispatches the worker. */
  callersLivekit: TestLiveKit;
  /** The service's own. */
  livekit: LiveKitAccess;
  secret: string;
  agentCode: string;
}

interface Launched {
  sessionId: string;
  roomName: string;
  avatarToken: string;
  user: TestListener;
  sender: TestSender;
  /** Status of the session as the api shows it. */
  view(): Promise<{ status: string; end_reason?: string }>;
  leave(): Promise<void>;
}

async function withStack(work: (stack: Stack) => Promise<void>): Promise<void> {
  await withLiveKit((callersLivekit) =>
    withOwnLiveKit((livekit) =>
      withApi(
        (api) =>
          withWorker({ livekit, environment: workerSettings(api) }, async (worker) => {
            const { account, secret } = await api.addAccount({ plan: "pro", credits: 10_000 });
            const agentCode = await addAgent(api.services, { userId: account.userId });
            await storeAvatar(api, agentCode, await avatarFile);
            await work({ api, worker, livekit, callersLivekit, secret, agentCode });
          }),
        { livekit, environment: LOCAL },
      ),
    ),
  );
}

// A real rig: the worker opens it as it opens any file.
const avatarFile = bakedFace("photograph").then(writeImx);

function workerSettings(api: TestApi): Record<string, string> {
  return { ...LOCAL, AVATAR_API_URL: api.baseUrl };
}

function storeAvatar(api: TestApi, agentCode: string, bytes: Uint8Array) {
  return api.services.storage.put(`models/${agentCode}-essence-2.imx`, bytes);
}

async function launch(stack: Stack, options: { avatarTokenSecret?: string } = {}): Promise<Launched> {
  const { api, callersLivekit: livekit, secret, agentCode } = stack;
  const roomName = `room-${crypto.randomUUID()}`;
  const mint = (
    identity: string,
    kind: "standard" | "agent",
    attributes?: Record<string, string>,
    signedWith?: string,
  ) => {
    const token = new AccessToken(livekit.apiKey, signedWith ?? livekit.apiSecret, { identity, attributes });
    token.addGrant({ room: roomName, roomJoin: true });
    token.kind = kind;
    return token.toJwt();
  };
  const join = async (identity: string, kind: "standard" | "agent", autoSubscribe: boolean, room = new TestRoom()) => {
    await room.connect(livekit.url, await mint(identity, kind), { autoSubscribe, dynacast: false });
    return room;
  };
  const userRoom = new TestRoom();
  const user = new TestListener(userRoom);
  await join("user", "standard", true, userRoom);
  const sender = new TestSender(await join("agent", "agent", false));
  const attributes = { [ATTRIBUTE_PUBLISH_ON_BEHALF]: "agent", api_secret: ATTRIBUTE_SECRET };
  const avatarToken = await mint("avatar", "agent", attributes, options.avatarTokenSecret);
  const answer = await api.call("POST", "/v1/runtime-tokens/request", {
    secret,
    body: {
      mode: "cpu",
      agent_id: agentCode,
      livekit_url: livekit.url,
      livekit_token: avatarToken,
      room_name: roomName,
    },
  });
  if (answer.status !== 200) throw new Error(`not launched: ${JSON.stringify(answer.body)}`);
  const sessionId: string = answer.body.session_id;
  return {
    sessionId,
    roomName,
    avatarToken,
    user,
    sender,
    view: async () => (await api.call("GET", `/v1/runtime-sessions/${sessionId}`, { secret })).body,
    leave: async () => {
      await sender.room.disconnect();
      await userRoom.disconnect();
    },
  };
}

async function launchLive(stack: Stack): Promise<Launched> {
  const launched = await launch(stack);
  const { user } = launched;
  await waitFor(() => user.frames.length > 0 && user.heard.length > 0, "video and audio", SLOW_MS);
  await waitFor(async () => (await launched.view()).status === "live", "the api knows that it is live", SLOW_MS);
  return launched;
}

async function expectEnd(launched: Launched, reason: string): Promise<void> {
  await waitFor(async () => (await launched.view()).end_reason === reason, `the end by ${reason}`, SLOW_MS);
}

/** The process that runs a session, by the worker's log. */
function processOf({ worker, sessionId }: { worker: TestWorker; sessionId: string }): number {
  const line = worker.log.findLast((text) => text.includes("session given to a process") && text.includes(sessionId));
  return Number(/"runBy":(\d+)/.exec(line ?? "")?.[1]);
}

const tone = (seconds: number) =>
  Int16Array.from({ length: 16_000 * seconds }, (_, i) => 9000 * Math.sin((2 * Math.PI * 400 * i) / 16_000));

t.test("a worker connects the api and a caller's LiveKit server", async (t) => {
  await withStack(async (stack) => {
    const { api, worker, livekit, secret, agentCode } = stack;
    const { rooms } = stack.callersLivekit;

    await t.test("a session lives from launch to end, and every way to end it frees its slot", async (t) => {
      const activeSessions = async (): Promise<number> =>
        (await (await fetch(`${worker.baseUrl}/health`)).json()).active_sessions;

      const first = await launchLive(stack);
      t.equal(await activeSessions(), 1);
      const tracks = [...first.user.room.remoteParticipants.get("avatar")!.trackPublications.values()];
      t.same(tracks.map(({ name }) => name).sort(), ["avatar_audio", "avatar_video"]);
      await first.sender.say(tone(0.5));
      await waitFor(() => first.sender.finished.length === 1, "the sender's segment", SLOW_MS);
      t.match(first.sender.finished[0], { positionS: 0.5, interrupted: false });
      const sinceMs = performance.now();
      const speak = { secret, body: { message: "Good morning." } };
      const spoken = await api.call("POST", `/v1/agent/${agentCode}/speak`, speak);
      t.match(spoken, { status: 200, body: { delivered_to_rooms: 1, rooms: [first.roomName] } });
      await waitFor(() => first.user.loudMs(sinceMs) > 300, "the message is heard", SLOW_MS);
      const addContext = { secret, body: { context: "Rain." } };
      const context = await api.call("POST", `/v1/agent/${agentCode}/add-context`, addContext);
      t.not(context.status, 500, "context without a conversation is answered");
      const ended = await api.call("POST", `/v1/runtime-sessions/${first.sessionId}/end`, { secret });
      t.match(ended, { status: 200, body: { status: "ended", slot_released: true } });
      await waitFor(() => !first.user.room.remoteParticipants.has("avatar"), "the avatar leaves", SLOW_MS);
      await first.leave();

      const abandoned = await launchLive(stack);
      await abandoned.leave();
      await expectEnd(abandoned, "last_user_left");

      const removed = await launchLive(stack);
      await rooms.removeParticipant(removed.roomName, "avatar");
      await expectEnd(removed, "avatar_removed");
      await removed.leave();

      const closed = await launchLive(stack);
      await rooms.deleteRoom(closed.roomName);
      await expectEnd(closed, "room_closed");
      await closed.leave();

      const refused = await launch(stack, { avatarTokenSecret: "signed-with-the-key-of-another-server" });
      await expectEnd(refused, "join_failed");
      await refused.leave();

      await waitFor(async () => (await activeSessions()) === 0, "all slots are free", SLOW_MS);
      const log = worker.log.join("\n");
      t.notMatch(log, ATTRIBUTE_SECRET, "no attribute is logged");
      for (const { avatarToken } of [first, refused]) t.notMatch(log, avatarToken, "no token is logged");
      t.notMatch(log, /Good morning/, "no spoken text is logged");
    });

    await t.test("a session with an invalid avatar file ends", async (t) => {
      await storeAvatar(api, agentCode, (await avatarFile).subarray(0, 900));
      const broken = await launch(stack);
      await waitFor(() => worker.log.some((line) => line.includes("avatar session failed")), "the failure", SLOW_MS);
      t.equal(broken.user.frames.length, 0);
      await broken.leave();
      await storeAvatar(api, agentCode, await avatarFile);
    });

    await t.test("when the process of a session dies, the next one takes over and reports what was open", async (t) => {
      const live = await launchLive(stack);
      // The first segment plays, the second one waits.
      await live.sender.say(tone(20));
      await live.sender.say(tone(1));
      await waitFor(() => live.sender.reports.some(({ method }) => method === "started"), "the segment plays", SLOW_MS);
      const startedMs = live.sender.reports[0].atMs;
      await waitFor(() => performance.now() - startedMs > 1_000, "a second of it was heard");
      const isQueued = () =>
        worker.log.some((line) => line.includes(live.sessionId) && line.includes('"room-2","why"'));
      await waitFor(isQueued, "the second segment has arrived", SLOW_MS);
      const speak = { secret, body: { message: "This has waited for a while.", room_id: live.roomName } };
      const spoken = await api.call("POST", `/v1/agent/${agentCode}/speak`, speak);
      t.match(spoken, { status: 200 }, "a message waits, too");
      const pid = processOf({ worker, sessionId: live.sessionId });
      process.kill(pid, "SIGKILL");
      const killedMs = performance.now();
      await waitFor(() => live.sender.finished.length === 2, "both segments are reported", SLOW_MS);
      const [playing, queued] = live.sender.finished;
      t.equal(playing.interrupted, true);
      // What was on its way is heard for another 100 ms; then the receiver conceals the loss and continues the tone.
      const heardS = live.user.heard.filter(({ atMs, rms }) => atMs < killedMs + 100 && rms > 300).length / 100;
      t.comment(`position ${playing.positionS} s, heard ${heardS} s`);
      // On a busy machine the receiver is behind.
      const aheadS = playing.positionS! - heardS;
      t.ok(aheadS > -0.4 && aheadS < 1, `position ${playing.positionS} s, heard about ${heardS} s`);
      t.match(queued, { positionS: 0, interrupted: true });
      await waitFor(() => live.user.frames.some(({ atMs }) => atMs > queued.atMs), "the face is back", SLOW_MS);
      t.equal((await live.view()).status, "live", "the api noticed nothing");
      await waitFor(() => live.user.loudMs(queued.atMs) > 500, "the message is heard", SLOW_MS);
      await live.sender.say(tone(0.5));
      await waitFor(() => live.sender.finished.length === 3, "the next segment plays", SLOW_MS);
      t.match(live.sender.finished[2], { positionS: 0.5, interrupted: false });
      const metrics = await (await fetch(`${worker.baseUrl}/metrics`)).text();
      t.match(metrics, /avatar_worker_session_crashes_total 1\n/);
      t.match(metrics, /avatar_worker_voice_piece_seconds_count [1-9]/, "the neural voice has spoken");
      await live.leave();
      await expectEnd(live, "last_user_left");
    });

    await t.test("the session of a draining worker moves to another worker", async (t) => {
      const live = await launchLive(stack);
      // The process of the session before may still be closing.
      const metrics = async () => (await fetch(`${worker.baseUrl}/metrics`)).text();
      const isAlone = async () => /^avatar_worker_active_sessions 1$/m.test(await metrics());
      await waitFor(isAlone, "one session is counted", SLOW_MS);
      t.equal((await fetch(`${worker.baseUrl}/nowhere`)).status, 404);
      await withWorker({ livekit, environment: workerSettings(api) }, async () => {
        await worker.stop("SIGTERM");
        const goneMs = performance.now();
        const isBack = () => live.user.frames.some(({ atMs }) => atMs > goneMs + 500);
        await waitFor(isBack, "the avatar is back on the other worker", SLOW_MS);
        await waitFor(async () => (await live.view()).status === "live", "the api knows it, too", SLOW_MS);
        await live.leave();
        await expectEnd(live, "last_user_left");
      });
    });
  });
});
