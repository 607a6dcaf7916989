// The agent's side of the audio protocol, with a real avatar in a real room.
import { initializeLogger, type voice } from "@livekit/agents";
import { AudioFrame, type Room } from "@livekit/rtc-node";
import t from "tap";
import { AvatarAudioOutput, type AvatarAudioOutputOptions } from "../../../sdk/livekit-agents/avatar-audio-output.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { AVATAR_IDENTITY, withRoomAvatar } from "../../helpers/rooms/with-room-avatar.ts";
import { waitFor, within } from "../../helpers/wait-for.ts";

const RATE_HZ = 16_000;
const AGENT = "agent";

initializeLogger({ pretty: false, level: "silent" });

/** A tone in frames of 20 ms. With `marginSamples`, each is a view into a longer array. */
function speech(seconds: number, marginSamples = 0): AudioFrame[] {
  const frameSamples = RATE_HZ / 50;
  return Array.from({ length: Math.round(seconds * 50) }, (_, index) => {
    const whole = new Int16Array(frameSamples + 2 * marginSamples).fill(20_000);
    const samples = whole.subarray(marginSamples, marginSamples + frameSamples);
    for (let i = 0; i < frameSamples; i++) {
      samples[i] = 6_000 * Math.sin((2 * Math.PI * 150 * (index * frameSamples + i)) / RATE_HZ);
    }
    return new AudioFrame(samples, RATE_HZ, 1, frameSamples);
  });
}

async function speak(output: voice.AudioOutput, frames: readonly AudioFrame[]): Promise<void> {
  for (const frame of frames) await output.captureFrame(frame);
  output.flush();
}

/** The output of an agent, and the events of its playback. */
function outputIn(room: Room, options: Partial<AvatarAudioOutputOptions> = {}) {
  const output = new AvatarAudioOutput({ room, avatarIdentity: AVATAR_IDENTITY, ...options });
  const finished: voice.PlaybackFinishedEvent[] = [];
  let started = 0;
  output.on("playbackStarted", () => {
    started += 1;
  });
  output.on("playbackFinished", (event: voice.PlaybackFinishedEvent) => finished.push(event));
  const settle = () => within(output.waitForPlayout(), "the end of playback", 20_000);
  return { output, finished, settle, started: () => started };
}

const lastedAbout = (event: voice.PlaybackFinishedEvent, seconds: number) =>
  !event.interrupted && Math.abs(event.playbackPosition - seconds) < 0.05;

t.test("speech that an avatar plays", { timeout: 120_000 }, async (t) => {
  await withRoomAvatar(async ({ joinSender, listener, avatarRoom }) => {
    const { room } = await joinSender(AGENT);
    const { output, finished, settle, started } = outputIn(room);

    await t.test("playback begins and ends when the avatar says so", async (t) => {
      const sentMs = performance.now();
      await speak(output, speech(1));
      t.equal(started(), 0, "sent is not played");
      await settle();
      t.ok(performance.now() - sentMs > 900);
      t.equal(started(), 1);
      t.ok(lastedAbout(finished[0], 1), JSON.stringify(finished));
    });

    await t.test("a segment that follows at once has its own stream", async (t) => {
      finished.length = 0;
      await speak(output, speech(0.4));
      await speak(output, speech(0.6));
      await settle();
      t.ok(lastedAbout(finished[0], 0.4) && lastedAbout(finished[1], 0.6), JSON.stringify(finished));
    });

    await t.test("of a frame that is a view, only what it shows is sent", async (t) => {
      finished.length = 0;
      await speak(output, speech(0.4, 160));
      await settle();
      t.ok(lastedAbout(finished[0], 0.4), JSON.stringify(finished));
    });

    await t.test("a cleared segment ends once, interrupted, and the next one plays", async (t) => {
      finished.length = 0;
      for (const frame of speech(10)) await output.captureFrame(frame);
      await waitFor(() => started() === 5, "playback");
      await waitFor(() => listener.loudMs(performance.now() - 200) > 100, "sound");
      output.flush();
      output.clearBuffer();
      const clearedMs = performance.now();
      output.clearBuffer();
      await settle();
      t.match(finished, [{ interrupted: true }]);
      t.ok(finished[0].playbackPosition < 5);
      await waitFor(() => performance.now() - clearedMs > 1_000, "a second");
      t.equal(listener.loudMs(clearedMs + 500), 0, "silent after 0.5 s");
      await speak(output, speech(0.4));
      await settle();
      t.equal(finished.length, 2);
      t.ok(lastedAbout(finished[1], 0.4));
    });

    await t.test("the agent receives none of the avatar's media", async (t) => {
      const publications = [...room.remoteParticipants.get(AVATAR_IDENTITY)!.trackPublications.values()];
      t.equal(publications.length, 2);
      t.notOk(publications.some(({ subscribed }) => subscribed));
    });

    await t.test("an avatar that has left is not waited for, and a clear that fails breaks nothing", async (t) => {
      const lonely = outputIn(room, { returnLimitMs: 500, joinLimitMs: 500 });
      output.close();
      for (const frame of speech(5)) await lonely.output.captureFrame(frame);
      await waitFor(() => lonely.started() === 1, "playback");
      await avatarRoom.disconnect();
      lonely.output.clearBuffer();
      await lonely.settle();
      t.match(lonely.finished, [{ interrupted: true }]);
      lonely.output.flush();
      await speak(lonely.output, speech(1));
      await lonely.settle();
      t.match(lonely.finished[1], { interrupted: true, playbackPosition: 0 }, "without an avatar");
      await speak(lonely.output, speech(1));
      lonely.output.clearBuffer();
      await lonely.settle();
      t.equal(lonely.finished.length, 3);
      lonely.output.close();
    });
  });
});

t.test("an agent in two rooms hears the reports of both", { timeout: 60_000 }, async (t) => {
  const play = async (seconds: number) => {
    let positionS = 0;
    await withRoomAvatar(async ({ joinSender, runner }) => {
      const { output, finished, settle } = outputIn((await joinSender(AGENT)).room, { silenceLimitMs: 2_000 });
      await speak(output, speech(seconds));
      await settle();
      positionS = finished[0].playbackPosition;
      await runner.close();
      await speak(output, speech(0.1));
      await settle();
      t.match(finished[1], { interrupted: true }, "a turn ends without a report, too");
      output.close();
    });
    return positionS;
  };
  t.same(
    (await Promise.all([play(0.4), play(0.6)])).map((seconds) => seconds.toFixed(1)),
    ["0.4", "0.6"],
  );
});

t.test("speech before the room is connected, and before the avatar comes, is kept for it", async (t) => {
  await withLiveKit(async ({ url, mintToken }) => {
    const room = new TestRoom();
    const { output, finished, settle } = outputIn(room);
    await speak(output, speech(1));
    await room.connect(url, await mintToken(AGENT, { kind: "agent" }), { autoSubscribe: false, dynacast: false });
    await speak(output, speech(1));
    t.equal(finished.length, 0);
    output.clearBuffer();
    await settle();
    t.match(finished, [
      { interrupted: true, playbackPosition: 0 },
      { interrupted: true, playbackPosition: 0 },
    ]);
    await room.disconnect();
    output.close();
  });
});
