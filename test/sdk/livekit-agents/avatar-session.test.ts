// The avatar session of an agent, with the service: LiveKit's own agent session speaks through a face in its room.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ReadableStream } from "node:stream/web";
import { initializeLogger, type metrics, voice } from "@livekit/agents";
import { AudioFrame, type RemoteTrackPublication, type Room, RoomEvent, TrackKind } from "@livekit/rtc-node";
import { AccessToken } from "livekit-server-sdk";
import t from "tap";
import {
  AvatarSession,
  type AvatarSessionOptions,
  type AvatarStartOptions,
} from "../../../sdk/livekit-agents/index.ts";
import { AGENT_NAME } from "../../../shared/wire-names.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { TestListener } from "../../helpers/rooms/with-room-avatar.ts";
import { type TestStack, withStack } from "../../helpers/service/with-stack.ts";
import { speakSentences } from "../../helpers/speech/spoken.ts";
import { waitFor, within } from "../../helpers/wait-for.ts";

const AGENT = "voice-agent";
const SENTENCE = "My mother may make some more marmalade.";

initializeLogger({ pretty: false, level: "silent" });

const [spoken] = await speakSentences([SENTENCE], ["F1"]);

/** Recorded speech, as a voice hands it to the agent session: the sentence, `times` times over. */
function recording(times = 1): ReadableStream<AudioFrame> {
  const { samples, sampleRateHz } = spoken;
  const frame = sampleRateHz / 50;
  return new ReadableStream({
    start(controller) {
      for (let time = 0; time < times; time++) {
        for (let at = 0; at + frame <= samples.length; at += frame) {
          controller.enqueue(new AudioFrame(samples.slice(at, at + frame), sampleRateHz, 1, frame));
        }
      }
      controller.close();
    },
  });
}

interface Scene {
  roomName: string;
  room: Room;
  session: voice.AgentSession;
  listener: TestListener;
  livekit: AvatarStartOptions;
  /** The user looks at the avatar. Video costs more than all the rest. */
  watch(isWatching: boolean): void;
  startSession(): Promise<void>;
  avatar(options?: AvatarSessionOptions): AvatarSession;
}

/** An agent and a user in a room of their own. */
async function withScene(stack: TestStack, work: (scene: Scene) => Promise<void>): Promise<void> {
  const { url, apiKey, apiSecret } = stack.livekit;
  const roomName = `plugin-${crypto.randomUUID()}`;
  const token = async (identity: string, kind: "agent" | "standard") => {
    const access = new AccessToken(apiKey, apiSecret, { identity, ttl: 600 });
    access.addGrant({ roomJoin: true, room: roomName });
    access.kind = kind;
    return access.toJwt();
  };
  const [room, userRoom] = [new TestRoom(), new TestRoom()];
  const listener = new TestListener(userRoom);
  let isWatching = false;
  const subscribe = (publication: RemoteTrackPublication) =>
    publication.setSubscribed(isWatching || publication.kind === TrackKind.KIND_AUDIO);
  userRoom.on(RoomEvent.TrackPublished, subscribe);
  const session = new voice.AgentSession({});
  const avatars: AvatarSession[] = [];
  try {
    await userRoom.connect(url, await token("user", "standard"), { autoSubscribe: false, dynacast: false });
    // As the framework's jobs do, the agent subscribes to everything.
    await room.connect(url, await token(AGENT, "agent"), { autoSubscribe: true, dynacast: false });
    await work({
      roomName,
      room,
      session,
      listener,
      livekit: { livekitUrl: url, livekitApiKey: apiKey, livekitApiSecret: apiSecret },
      watch: (isWatchingNow) => {
        isWatching = isWatchingNow;
        for (const who of userRoom.remoteParticipants.values()) [...who.trackPublications.values()].forEach(subscribe);
      },
      startSession: () => session.start({ agent: new voice.Agent({ instructions: "" }), room, record: false }),
      avatar: (options) => {
        const { baseUrl: apiUrl, apiSecret, agentCode: agentId } = stack;
        const avatar = new AvatarSession({ apiUrl, apiSecret, agentId, ...options });
        avatars.push(avatar);
        return avatar;
      },
    });
  } finally {
    for (const avatar of avatars) await avatar.aclose();
    await session.close();
    await room.disconnect();
    await userRoom.disconnect();
  }
}

const say = (session: voice.AgentSession, times = 1) => session.say(SENTENCE, { audio: recording(times) });

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and a wrong shape fails them anyway
async function call({ baseUrl, apiSecret }: TestStack, method: string, path: string, body?: object): Promise<any> {
  const headers = { "api-secret": apiSecret, "content-type": "application/json" };
  return (await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) })).json();
}

/** The process of an avatar session, by the worker's log. */
async function findSessionProcess({ dataDir }: TestStack, sessionId: string): Promise<number> {
  const lines = (await readFile(join(dataDir, "logs", "worker.log"), "utf8")).split("\n");
  const line = lines.findLast((text) => text.includes("session given to a process") && text.includes(sessionId));
  return Number(/"runBy":(\d+)/.exec(line ?? "")?.[1]);
}

t.test("an agent's avatar", { timeout: 240_000 }, async (t) => {
  await withStack(async (stack) => {
    await withScene(stack, async ({ room, session, listener, livekit, watch, startSession, avatar: create }) => {
      watch(true);
      const avatar = create();
      const collected: metrics.AvatarMetrics[] = [];
      avatar.on("metrics_collected", (event) => collected.push(event));
      await avatar.start(session, room, livekit);
      const sessionId = avatar.sessionId!;
      await startSession();
      const finished: voice.PlaybackFinishedEvent[] = [];
      session.output.audio!.on("playbackFinished", (event: voice.PlaybackFinishedEvent) => finished.push(event));

      await t.test("speaks what the agent says, and reports when it joined and how soon it spoke", async (t) => {
        await within(say(session).waitForPlayout(), "the end of speech", 30_000);
        t.ok(listener.loudMs() > 1_000, `${listener.loudMs()} ms heard`);
        await waitFor(() => listener.frames.length > 25, "the face is seen");
        watch(false);
        t.match(finished, [{ interrupted: false }]);
        const [joined, latency] = collected;
        t.ok(joined.avatarJoinedAt! >= joined.sessionStartedAt!);
        t.ok(latency.playbackLatencyMs! > 0 && latency.playbackLatencyMs! < 10_000);
        t.match(collected, [{ metadata: { modelProvider: "open-avatar" } }, {}]);
      });

      await t.test("is an agent that publishes on behalf of ours, and carries no secret", async (t) => {
        const participant = room.remoteParticipants.get(AGENT_NAME)!;
        t.match(participant, {
          name: "Avatar",
          attributes: { "lk.publish_on_behalf": AGENT, "lk.avatar_provider": "open-avatar" },
        });
        t.equal(participant.kind, 4);
        t.notOk(JSON.stringify([...room.remoteParticipants.values()].map((who) => who.info)).includes(stack.apiSecret));
        t.notOk([...participant.trackPublications.values()].some(({ subscribed }) => subscribed));
      });

      await t.test("cannot be started twice", async (t) => {
        await t.rejects(avatar.start(session, room, livekit), { name: "AvatarSessionError" });
      });

      await t.test("is silent soon after an interruption, which is reported once", async (t) => {
        const interrupted = async (): Promise<number> => {
          finished.length = 0;
          collected.length = 0;
          const sinceMs = performance.now();
          const speech = say(session, 5);
          await waitFor(() => listener.loudMs(sinceMs) > 700, "speech");
          const cutMs = performance.now();
          speech.interrupt();
          await within(speech.waitForPlayout(), "the end of the turn", 10_000);
          t.match(finished, [{ interrupted: true }]);
          t.equal(finished.length, 1);
          t.match(collected, [{ playbackLatencyMs: Number }]);
          t.comment(`playback latency ${collected[0].playbackLatencyMs} ms`);
          await waitFor(() => performance.now() - cutMs > 1_500, "a while");
          return listener.heard.findLast(({ rms }) => rms > 300)!.atMs - cutMs;
        };
        // Another try where the machine was too busy.
        let silentMs = Infinity;
        for (let tries = 0; tries < 3 && silentMs >= 500; tries++) silentMs = await interrupted();
        t.ok(silentMs < 500, `silent after ${Math.round(silentMs)} ms`);
      });

      await t.test("if its process dies, the turn ends and the next is spoken", async (t) => {
        finished.length = 0;
        const sinceMs = performance.now();
        const cut = say(session, 5);
        await waitFor(() => listener.loudMs(sinceMs) > 700, "speech");
        process.kill(await findSessionProcess(stack, sessionId), "SIGKILL");
        await within(cut.waitForPlayout(), "the end of the turn", 30_000);
        t.comment(`turn over ${Math.round(performance.now() - sinceMs)} ms after it began`);
        t.match(finished, [{ interrupted: true }]);
        const nextMs = performance.now();
        await within(say(session).waitForPlayout(), "the next turn", 30_000);
        t.match(finished, [{}, { interrupted: false }]);
        // On a busy machine the user may receive the new tracks only after it was said.
        if (listener.loudMs(nextMs) <= 500) await within(say(session).waitForPlayout(), "a further turn", 30_000);
        t.ok(listener.loudMs(nextMs) > 500, `${listener.loudMs(nextMs)} ms heard`);
      });

      await t.test("when it is closed, the slot is free and the room without it", async (t) => {
        await avatar.aclose();
        t.equal((await call(stack, "GET", `/v1/runtime-sessions/${sessionId}`)).status, "ended");
        await waitFor(() => !room.remoteParticipants.has(AGENT_NAME), "the avatar leaves");
        await within(say(session).waitForPlayout(), "speech without an avatar", 5_000);
        await avatar.aclose();
      });
    });

    await t.test("a scoped token launches too, after the agent session; then closing removes the avatar", async (t) => {
      await withScene(stack, async ({ room, roomName, session, listener, livekit, startSession, avatar: create }) => {
        await startSession();
        const { scoped_token: apiSecret } = await call(stack, "POST", "/v1/runtime-tokens/mint", {
          agent_code: stack.agentCode,
          scope: "livekit-cloud",
          room_name: roomName,
          livekit_url: stack.livekit.url,
        });
        const avatar = create({ apiSecret, agentId: undefined, avatarParticipantIdentity: "face" });
        await avatar.start(session, room, livekit);
        await avatar.waitForJoin();
        t.ok(room.remoteParticipants.has("face"));
        await within(say(session).waitForPlayout(), "the end of speech", 30_000);
        t.ok(listener.loudMs() > 1_000);
        const sessionId = avatar.sessionId!;
        await avatar.aclose();
        await waitFor(() => !room.remoteParticipants.has("face"), "the avatar leaves");
        const isEnded = async () => (await call(stack, "GET", `/v1/runtime-sessions/${sessionId}`)).status === "ended";
        await waitFor(isEnded, "the end of the session");
        const photo = create({ apiSecret, image: "https://example.com/face.jpg" });
        await t.rejects(photo.start(session, room, livekit), { name: "AvatarSessionError" });
      });
    });

    await t.test("without an agent, the first sample is shown; a start that failed can be repeated", async (t) => {
      await withScene(stack, async ({ room, session, livekit, avatar: create }) => {
        // The first one may still be made.
        const avatar = create({ agentId: undefined, connOptions: { maxRetry: 20 } });
        await t.rejects(avatar.start(session, room, { ...livekit, livekitUrl: "no address" }), {
          code: "VALIDATION_ERROR",
        });
        await avatar.start(session, room, livekit);
        await avatar.waitForJoin();
        t.ok(room.remoteParticipants.has(AGENT_NAME));
      });
    });

    await t.test("a wrong and a revoked secret are refused", async (t) => {
      await withScene(stack, async ({ room, session, livekit, avatar: create }) => {
        await t.rejects(create({ apiSecret: "wrong" }).start(session, room, livekit), { code: "UNAUTHORIZED" });
        const account = (await call(stack, "GET", "/v1/me")).data.user_id;
        const { alias, secret } = await call(stack, "POST", `/v2/${account}/api-secrets`, { alias: "for-plugin" });
        await call(stack, "DELETE", `/v2/${account}/api-secrets/${alias}`);
        await t.rejects(create({ apiSecret: secret }).start(session, room, livekit), { code: "RUNTIME_SUSPENDED" });
        t.equal(session.output.audio, null, "the agent keeps its output");
      });
    });
  });
});
