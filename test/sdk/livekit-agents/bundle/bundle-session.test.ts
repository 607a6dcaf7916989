// The avatar session of an agent with an avatar file, without a service: LiveKit's own agent session speaks through it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ReadableStream } from "node:stream/web";
import { initializeLogger, voice } from "@livekit/agents";
import { AudioFrame } from "@livekit/rtc-node";
import t from "tap";
import { AvatarSession } from "../../../../sdk/livekit-agents/index.ts";
import { AGENT_NAME } from "../../../../shared/wire-names.ts";
import { bundleFile } from "../../../helpers/faces/bundle-file.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { disposeRtc } from "../../../helpers/livekit/dispose-rtc.ts";
import { type TestLiveKit, withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { childPids } from "../../../helpers/processes/child-pids.ts";
import { TestRoom } from "../../../helpers/rooms/test-room.ts";
import { TestListener } from "../../../helpers/rooms/with-room-avatar.ts";
import { waitFor, within } from "../../../helpers/wait-for.ts";

t.teardown(disposeRtc);
initializeLogger({ pretty: false, level: "silent" });

const RATE_HZ = 24_000;
const folder = await makeDataFolder(t);
const bundle = await bundleFile(folder);
/** The processes of avatar files. */
const processes = () => childPids("bundle-program");

/** A tone of 150 Hz with overtones, as a voice hands it to an agent session. */
function hum(seconds: number): ReadableStream<AudioFrame> {
  const length = RATE_HZ / 50;
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < seconds * RATE_HZ; at += length) {
        const samples = Int16Array.from({ length }, (_, i) => {
          const phase = (2 * Math.PI * 150 * (at + i)) / RATE_HZ;
          return 5000 * Math.sin(phase) + 3000 * Math.sin(3 * phase);
        });
        controller.enqueue(new AudioFrame(samples, RATE_HZ, 1, length));
      }
      controller.close();
    },
  });
}

/** An agent, and a user if it is watched, in a room of their own. */
async function withScene(
  { isWatched }: { isWatched: boolean },
  work: (scene: {
    session: voice.AgentSession;
    listener: TestListener;
    finished: voice.PlaybackFinishedEvent[];
    livekit: TestLiveKit;
    /** Shows the avatar, and starts the agent session. */
    start(avatar: AvatarSession): Promise<void>;
    /** Says a tone; resolves when the turn is over. */
    hum(seconds: number): voice.SpeechHandle;
  }) => Promise<void>,
): Promise<void> {
  await withLiveKit(async (livekit) => {
    const [room, userRoom] = [new TestRoom(), new TestRoom()];
    const listener = new TestListener(userRoom);
    const session = new voice.AgentSession({});
    const finished: voice.PlaybackFinishedEvent[] = [];
    try {
      const options = { autoSubscribe: true, dynacast: false };
      if (isWatched) await userRoom.connect(livekit.url, await livekit.mintToken("user"), options);
      await room.connect(livekit.url, await livekit.mintToken("agent", { kind: "agent" }), options);
      await work({
        session,
        listener,
        finished,
        livekit,
        start: async (avatar) => {
          const { url: livekitUrl, apiKey: livekitApiKey, apiSecret: livekitApiSecret } = livekit;
          await avatar.start(session, room, { livekitUrl, livekitApiKey, livekitApiSecret });
          await session.start({ agent: new voice.Agent({ instructions: "" }), room, record: false });
          session.output.audio?.on("playbackFinished", (event: voice.PlaybackFinishedEvent) => finished.push(event));
        },
        hum: (seconds) => session.say("Hmmm.", { audio: hum(seconds) }),
      });
    } finally {
      await session.close();
      await room.disconnect();
      await userRoom.disconnect();
    }
  });
}

t.test("an agent speaks through an avatar file", async (t) => {
  await withScene({ isWatched: true }, async ({ listener, finished, livekit, start, hum }) => {
    const avatar = new AvatarSession({ bundle, expressiveness: 0.7 });
    await start(avatar);
    t.equal(processes().length, 1);
    await waitFor(() => listener.frames.length > 0 && listener.heard.length > 0, "the avatar's tracks arrive");

    const firstMs = performance.now();
    await within(hum(2).waitForPlayout(), "the end of the turn", 15_000);
    const fps = listener.frames.filter(({ atMs }) => atMs >= firstMs).length / ((performance.now() - firstMs) / 1000);
    // Half the rate while the machine is busy.
    t.ok(fps > 11 && fps < 26.5, `${fps} fps`);
    t.ok(Math.abs(listener.loudMs(firstMs) - 2000) < 150, `${listener.loudMs(firstMs)} ms heard`);
    t.match(finished, [{ interrupted: false }]);
    t.ok(Math.abs(finished[0].playbackPosition - 2) < 0.05, `${finished[0].playbackPosition} s`);

    const secondMs = performance.now();
    const second = hum(10);
    await waitFor(() => listener.loudMs(secondMs) > 600, "the second turn is heard");
    const [clearedMs, heardS] = [performance.now(), listener.loudMs(secondMs) / 1000];
    second.interrupt();
    await within(second.waitForPlayout(), "the end of the turn", 5_000);
    await waitFor(() => performance.now() - clearedMs > 800, "what was on its way is heard");
    const last = listener.heard.findLast(({ rms }) => rms > 300)!;
    t.ok(last.atMs - clearedMs < 500, `silent after ${last.atMs - clearedMs} ms`);
    t.match(finished, [{}, { interrupted: true }]);
    t.equal(finished.length, 2);
    t.ok(Math.abs(finished[1].playbackPosition - heardS) < 0.3, `${finished[1].playbackPosition} s, ${heardS} s heard`);

    // A process that dies is replaced.
    const third = hum(10);
    const thirdMs = performance.now();
    await waitFor(() => listener.loudMs(thirdMs) > 300, "the third turn is heard");
    const [dead] = processes();
    process.kill(dead, "SIGKILL");
    await within(third.waitForPlayout(), "the end of the turn", 30_000);
    t.match(finished[2], { interrupted: true });
    await waitFor(() => processes().some((pid) => pid !== dead), "another process");
    const fourthMs = performance.now();
    await within(hum(1).waitForPlayout(), "the end of the next turn", 30_000);
    t.ok(listener.loudMs(fourthMs) > 800, "the next turn is heard");

    await avatar.aclose();
    t.same(processes(), []);
    const { rooms, roomName } = livekit;
    const others = async () => (await rooms.listParticipants(roomName)).map(({ identity }) => identity).sort();
    await waitFor(async () => (await others()).join() === "agent,user", "the avatar is gone");
  });
});

t.test("two avatars of one process speak in two rooms at the same time", async (t) => {
  const speak = () =>
    withScene({ isWatched: false }, async ({ finished, start, hum }) => {
      // A file may be given as an address or as bytes, too.
      const avatar = new AvatarSession({ bundle: await readFile(bundle), avatarParticipantIdentity: "face" });
      await start(avatar);
      await within(hum(1).waitForPlayout(), "the end of the turn", 20_000);
      t.match(finished, [{ interrupted: false }]);
      await avatar.aclose();
    });
  await Promise.all([speak(), speak()]);
  t.same(processes(), []);
});

t.test("a file that cannot be shown is refused with what is wrong, and leaves nothing behind", async (t) => {
  const cut = join(folder, "cut.imx");
  await writeFile(cut, (await readFile(bundle)).subarray(0, 50_000));
  await withScene({ isWatched: false }, async ({ session, livekit, start }) => {
    const refused = (source: string, message: RegExp) =>
      t.rejects(start(new AvatarSession({ bundle: source })), { name: "AvatarSessionError", message });
    await refused(cut, /\.imx/);
    await refused(join(folder, "missing.imx"), /missing\.imx cannot be opened/);
    await t.rejects(start(new AvatarSession({ bundle, agentId: "maya" })), { name: "AvatarSessionError" });
    // Closed while it starts.
    const avatar = new AvatarSession({ bundle });
    const starting = start(avatar);
    await avatar.aclose();
    await t.rejects(starting, { message: /closed/ });
    t.same(processes(), []);
    t.equal(session.output.audio, null, "the agent keeps its output");
    const identities = (await livekit.rooms.listParticipants(livekit.roomName)).map(({ identity }) => identity);
    t.notOk(identities.includes(AGENT_NAME));
  });
});
