// The audio protocol in real rooms: a sender, the avatar with its real engine, and a listener that records the audio.
// Exact times are tested with clocks and rooms in memory (receiving, speaking-and-reporting, avatar-runner).
import { RoomEvent } from "@livekit/rtc-node";
import t from "tap";
import {
  RPC_CLEAR_BUFFER,
  RPC_SET_EMOTION,
  RPC_TRIGGER_DYNAMICS,
  TOPIC_TRANSCRIPTION,
} from "../../../shared/wire-names.ts";
import {
  AVATAR_IDENTITY,
  type TestListener,
  type TestSender,
  withRoomAvatar,
} from "../../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** A tone, interleaved over the channels, int16. */
function tone(seconds: number, { rateHz = 16_000, channels = 1, pitchHz = 400 } = {}): Int16Array {
  const samples = new Int16Array(Math.round(seconds * rateHz) * channels);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = 9000 * Math.sin((2 * Math.PI * pitchHz * Math.floor(i / channels)) / rateHz);
  }
  return samples;
}

/** Resolves when the listener has heard nothing for 300 ms of audio. */
async function untilQuiet(listener: TestListener): Promise<void> {
  const from = listener.heard.length;
  await waitFor(() => {
    const latest = listener.heard.slice(from).slice(-30);
    return latest.length === 30 && latest.every(({ rms }) => rms < 300);
  }, "the avatar is silent");
}

t.test("a named sender", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener, runner }) => {
    const stranger = await joinSender("stranger");
    await stranger.say(tone(3));
    const sender = await joinSender("agent");
    /** Each test begins in silence and sees only its own reports. */
    const begin = async () => {
      await untilQuiet(listener);
      for (const { reports } of [sender, stranger]) reports.length = 0;
      listener.heard.length = 0;
    };
    const callAsUser = (method: string, payload: string) =>
      listener.room.localParticipant!.performRpc({ destinationIdentity: AVATAR_IDENTITY, method, payload });

    await t.test("only the audio of the named participant plays", async (t) => {
      await sender.say(tone(0.3));
      await waitFor(() => sender.finished.length === 1, "the sender's segment ends");
      await untilQuiet(listener);
      t.ok(listener.loudMs() > 100 && listener.loudMs() < 1000, `the stranger is not heard (${listener.loudMs()} ms)`);
      t.same(stranger.reports, []);
    });

    await t.test("segments play in order, each with one start, one end and its own position", async (t) => {
      await begin();
      const durationsS = [0.6, 0.3, 0.47];
      for (const seconds of durationsS) await sender.say(tone(seconds));
      await waitFor(() => sender.finished.length === 3, "three ends");
      t.same(
        sender.reports.map(({ method }) => method),
        ["started", "finished", "started", "finished", "started", "finished"],
      );
      t.same(
        sender.finished.map(({ positionS, interrupted }) => [positionS, interrupted]),
        durationsS.map((seconds) => [seconds, false]),
      );
      const heardBefore = listener.heard.filter(({ atMs, rms }) => atMs < sender.finished[2].atMs && rms > 300);
      t.ok(heardBefore.length > 60, "the last end is told after most of the audio was heard, not when it arrived");
      await untilQuiet(listener);
      t.ok(Math.abs(listener.loudMs() - 1370) < 300, `all of the audio is heard (${listener.loudMs()} ms)`);
      await sender.say(new Int16Array(0));
      await waitFor(() => sender.finished.length === 4, "an empty segment ends too");
      t.match(sender.finished[3], { positionS: 0, interrupted: false });
    });

    await t.test(
      "after a clear by the sender there is silence, and each segment is reported once with its position",
      async (t) => {
        await begin();
        t.equal(await sender.clear(), "ok", "while nothing plays, too");
        await sender.say(tone(5));
        const open = await sender.open();
        await open.write(tone(2));
        await waitFor(() => listener.loudMs() > 300, "it plays");
        t.equal(await callAsUser(RPC_CLEAR_BUFFER, ""), "ignored");
        await waitFor(() => listener.loudMs() > 700, "it plays on");
        t.same(sender.finished, []);
        t.equal(await sender.clear(), "ok");
        await waitFor(() => sender.finished.length === 2, "two ends");
        t.ok(sender.finished.every(({ interrupted }) => interrupted));
        await untilQuiet(listener);
        const heardS = listener.loudMs() / 1000;
        const positionS = sender.finished[0].positionS!;
        t.ok(heardS < 4 && Math.abs(positionS - heardS) < 0.5, `position ${positionS} s, heard ${heardS} s`);
        t.equal(sender.finished[1].positionS, 0);
        listener.heard.length = 0;
        await open.write(tone(2));
        await open.close();
        await sender.say(tone(0.3));
        await waitFor(() => sender.finished.length === 3, "what comes after a clear plays");
        t.match(sender.finished[2], { interrupted: false, positionS: 0.3 });
        await untilQuiet(listener);
        t.ok(listener.loudMs() < 1000, `the rest of a cleared stream is not heard (${listener.loudMs()} ms)`);
        t.equal(sender.reports.length, 5, "started, two interrupted ends, started, finished");
      },
    );

    await t.test("the audio is the same for every sample rate, channel count and chunk size", async (t) => {
      await begin();
      const formats = [
        { rateHz: 8_000, channels: 1, chunkBytes: 333 },
        { rateHz: 44_100, channels: 2, chunkBytes: 1_001 },
        { rateHz: 48_000, channels: 2, chunkBytes: 4_095 },
        { rateHz: 16_000, channels: 1, chunkBytes: 1 },
      ];
      for (const [index, { rateHz, channels, chunkBytes }] of formats.entries()) {
        const name = `${rateHz} Hz × ${channels}`;
        const seconds = chunkBytes === 1 ? 0.05 : 0.5;
        const sinceMs = performance.now();
        await sender.say(tone(seconds, { rateHz, channels }), { sampleRateHz: rateHz, channels, chunkBytes });
        await waitFor(() => sender.finished.length === index + 1, `${name} ends`);
        t.equal(sender.finished[index].positionS, seconds, `${name}: position`);
        if (seconds < 0.5) continue;
        const loud = () => listener.heard.filter(({ atMs, rms }) => atMs > sinceMs && rms > 1000);
        // The segment is over for the avatar before its last audio has passed the listener's buffer.
        await waitFor(() => loud().length >= 10, `${name} is heard`);
        const heard = loud();
        const pitchHz = heard.map((frame) => frame.pitchHz).sort((a, b) => a - b)[heard.length >> 1];
        t.ok(Math.abs(pitchHz - 400) < 60, `${name}: heard at ${Math.round(pitchHz)} Hz`);
      }
      const odd = await sender.open({ chunkBytes: 16_001 });
      await odd.write(tone(0.5));
      await odd.close();
      await waitFor(() => sender.finished.length === 5, "an odd number of bytes ends");
    });

    await t.test("a stream without valid attributes is refused, and the avatar goes on", async (t) => {
      await begin();
      for (const attributes of [{}, { sample_rate: "loud", num_channels: "1" }]) {
        await sender.say(tone(2), { attributes: attributes as Record<string, string> });
      }
      await sender.say(tone(0.4));
      await waitFor(() => sender.finished.length === 1, "the good stream ends");
      t.match(sender.finished, [{ positionS: 0.4, interrupted: false }]);
      await untilQuiet(listener);
      t.ok(listener.loudMs() > 200 && listener.loudMs() < 1000, `only the good one is heard (${listener.loudMs()} ms)`);
    });

    await t.test("trigger_dynamics answers by contract for every payload", async (t) => {
      const trigger = async (payload: string) => JSON.parse(await callAsUser(RPC_TRIGGER_DYNAMICS, payload));
      t.match(await trigger('{"action":"nod"}'), { action: "nod", animation_triggered: true, status: "success" });
      t.match(await trigger("not json"), { action: "", animation_triggered: false, status: "success" });
      t.match(await trigger('{"action":{"a":1}}'), { animation_triggered: false, status: "success" });
    });

    await t.test("set_emotion answers every payload", async (t) => {
      const set = async (payload: string) => JSON.parse(await callAsUser(RPC_SET_EMOTION, payload));
      t.same(await set('{"emotion":"happy","intensity":0.6}'), { emotion: "happy", intensity: 0.6, status: "success" });
      t.match(await set("not json"), { status: "error", emotions: ["neutral", "happy"] });
      t.same(await set('{"emotion":null}'), { emotion: "neutral", intensity: 1, status: "success" });
    });

    await t.test("a message is spoken, captioned word by word, and not reported to a sender", async (t) => {
      await begin();
      const captions: { text: string; attributes: Record<string, string> }[] = [];
      const growing = new Map<string, string[]>();
      listener.room.registerTextStreamHandler(TOPIC_TRANSCRIPTION, async (reader, { identity }) => {
        const { attributes = {} } = reader.info;
        t.equal(identity, AVATAR_IDENTITY);
        const pieces: string[] = [];
        const isFinal = attributes["lk.transcription_final"] === "true";
        if (!isFinal) growing.set(attributes["lk.segment_id"], pieces);
        for await (const piece of reader) pieces.push(piece);
        if (isFinal) captions.push({ text: pieces.join(""), attributes });
      });
      const states: string[] = [];
      listener.room.on(RoomEvent.ParticipantAttributesChanged, (changed) => states.push(changed["lk.agent.state"]));
      t.equal(await runner.say("Good morning to you. It is a lovely day."), true);
      await waitFor(() => captions.length === 2, "two captions");
      await waitFor(() => states.length === 2, "two states");
      t.same(states, ["speaking", "listening"], "as LiveKit's agents tell");
      t.match(captions[0].attributes, { "lk.segment_id": "speak-1-1", "lk.transcription_final": "true" });
      t.match(captions[0].attributes["lk.transcribed_track_id"], /^TR_/);
      t.same(growing.get("speak-1-1"), ["Good", " morning", " to"], "the last word comes with the final text");
      const long = `This one goes on and on${" and on and on".repeat(7)}.`;
      await runner.say(`${long} This is never begun.`);
      await runner.say("Nor is this.");
      await waitFor(() => growing.has("speak-2-1"), "the long sentence begins");
      listener.heard.length = 0;
      await waitFor(() => (growing.get("speak-2-1") ?? []).length >= 3, "three words of it are captioned");
      await waitFor(() => listener.loudMs() > 300, "it is heard");
      await sender.clear();
      await untilQuiet(listener);
      t.ok(listener.loudMs() < 4000, `a clear cuts it off (${listener.loudMs()} ms heard)`);
      t.equal(await runner.say("Goodbye."), true);
      await waitFor(() => captions.length > 3, "the next message begins");
      t.same(
        captions.map(({ text }) => text),
        ["Good morning to you.", "It is a lovely day.", captions[2].text, "Goodbye."],
        "what is not said is not captioned",
      );
      const heard = captions[2].text;
      t.ok(long.startsWith(`${heard} `) && heard.length > 10, `nor is the rest of a sentence that is cut: ${heard}`);
      t.equal(await runner.say("   "), false, "nothing to say");
      t.same(sender.reports, []);
    });
  });
});

t.test("floods are bounded and answered by rule, and the avatar goes on", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener, attributes, runner }) => {
    const sender = await joinSender("agent");
    const stranger = await joinSender("service-avatar-agent");
    const call = async (from: TestSender, method: string, payload: string) =>
      from.room.localParticipant!.performRpc({ destinationIdentity: AVATAR_IDENTITY, method, payload });
    const flood = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: count }, work));

    const rssBefore = process.memoryUsage().rss;
    await flood(20, () => stranger.say(tone(0.5)));
    t.same(await flood(30, () => call(stranger, RPC_CLEAR_BUFFER, "")), Array(30).fill("ignored"));
    const gestures = await flood(30, () => call(stranger, RPC_TRIGGER_DYNAMICS, '{"action":"nod"}'));
    const started = gestures.filter((answer) => JSON.parse(answer).animation_triggered).length;
    t.ok(started >= 1 && started < 15, `${started} of 30 gestures started`);
    t.equal(listener.loudMs(), 0, "a stranger that is named like an avatar is not heard");

    await sender.say(tone(60, { rateHz: 8_000 }), { sampleRateHz: 8_000, chunkBytes: 15_000 });
    await waitFor(() => sender.reports.length > 0, "a minute that arrives at once begins to play");
    await flood(20, () => sender.say(tone(0.02)));
    // What arrives behind the RPC would play.
    await waitFor(() => runner.openSegments.length === 21, "all have arrived");
    t.equal(await sender.clear(), "ok");
    await waitFor(() => sender.finished.length === 21, "every segment is reported");
    t.ok(sender.finished.every(({ interrupted }) => interrupted));
    t.equal(sender.reports.length, 22, "one of them had started");
    sender.reports.length = 0;
    await sender.say(tone(0.1), { chunkBytes: 2 });
    await waitFor(() => sender.finished.length === 1, "1,600 chunks of one sample play");
    t.match(sender.finished, [{ positionS: 0.1, interrupted: false }]);
    const grownMb = (process.memoryUsage().rss - rssBefore) / 1e6;
    t.ok(grownMb < 200, `grown by ${Math.round(grownMb)} MB`);

    const told = new Promise((resolve) => {
      listener.room.on(RoomEvent.ParticipantAttributesChanged, (changed) => {
        if (changed.avatar_error) resolve(changed.avatar_error);
      });
    });
    await attributes.fail("model_not_generated");
    t.equal(await told, "model_not_generated", "an avatar that cannot be shown says so");
  });
});

t.test("without a named sender", async (t) => {
  await withRoomAvatar(
    async ({ joinSender, listener, avatarRoom }) => {
      const first = await joinSender("first");

      await t.test("the audio of the first agent plays, and not that of the second", async (t) => {
        await first.say(tone(0.3));
        await waitFor(() => first.finished.length === 1, "its segment ends");
        const second = await joinSender("second");
        await second.say(tone(0.3));
        await first.say(tone(0.2));
        await waitFor(() => first.finished.length === 2, "the first agent is heard again");
        t.same(second.reports, []);
        await second.room.disconnect();
        await waitFor(() => !avatarRoom.remoteParticipants.has("second"), "the other one has left");
        first.reports.length = 0;
      });

      await t.test(
        "a stream that is never closed ends when it is superseded, times out or its sender leaves",
        async (t) => {
          const lost = await first.open();
          await lost.write(tone(0.4));
          await first.say(tone(0.3));
          await waitFor(() => first.finished.length === 2, "the superseded stream and the new one end");
          t.match(first.finished, [
            { positionS: 0.4, interrupted: false },
            { positionS: 0.3, interrupted: false },
          ]);
          const silent = await first.open();
          await silent.write(tone(0.35));
          await waitFor(() => first.finished.length === 3, "the silent stream ends");
          t.match(first.finished[2], { positionS: 0.35, interrupted: false });
          await untilQuiet(listener);
          listener.heard.length = 0;
          const cut = await first.open();
          await cut.write(tone(2));
          await waitFor(() => listener.loudMs() > 50, "it plays");
          await first.room.disconnect();
          await waitFor(() => listener.loudMs() > 1000, "what arrived plays on");
          const back: TestSender = await joinSender("first");
          await back.say(tone(0.3));
          await waitFor(() => back.finished.length === 1, "the sender is heard again once it is back");
          t.match(back.reports, [{ method: "started" }, { method: "finished", positionS: 0.3 }]);
        },
      );
    },
    { boundTo: null, silenceLimitMs: 1_000 },
  );
});
