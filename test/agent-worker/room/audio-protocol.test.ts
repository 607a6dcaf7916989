// The audio protocol in real rooms: a sender, the avatar with its real engine, and a listener who hears what is played.
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { RPC_CLEAR_BUFFER, RPC_TRIGGER_DYNAMICS, TOPIC_TRANSCRIPTION } from "../../../shared/wire-names.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { AVATAR_IDENTITY, withRoomAvatar } from "../../helpers/with-room-avatar.ts";

/** A tone, interleaved over the channels, int16. */
function tone(seconds: number, { rateHz = 16_000, channels = 1, pitchHz = 400 } = {}): Int16Array {
  const samples = new Int16Array(Math.round(seconds * rateHz) * channels);
  for (let i = 0; i < samples.length; i++) {
    samples[i] = 9000 * Math.sin((2 * Math.PI * pitchHz * Math.floor(i / channels)) / rateHz);
  }
  return samples;
}

t.test("three segments pushed at once play in order, each with one start, one end and its own position", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener }) => {
    const sender = await joinSender("agent");
    const durationsS = [0.6, 0.3, 0.47];
    for (const seconds of durationsS) await sender.say(tone(seconds));
    await waitFor(() => sender.finished.length === 3, "three ends");
    t.same(
      sender.reports.map(({ method }) => method),
      ["started", "finished", "started", "finished", "started", "finished"],
    );
    t.same(
      sender.finished.map(({ positionS }) => positionS),
      durationsS,
    );
    t.ok(sender.finished.every(({ interrupted }) => interrupted === false));
    const lastSound = listener.heard.findLast(({ rms }) => rms > 300)!;
    const leadMs = lastSound.atMs - sender.finished[2].atMs;
    t.ok(Math.abs(leadMs) < 150, `the end is told when it is heard (${Math.round(leadMs)} ms before)`);
    t.ok(Math.abs(listener.loudMs() - 1370) < 150, `all of the sound is heard (${listener.loudMs()} ms)`);
    await sender.say(new Int16Array(0));
    await waitFor(() => sender.finished.length === 4, "an empty segment ends too");
    t.match(sender.finished[3], { positionS: 0, interrupted: false });
  });
});

t.test(
  "after a clear there is silence, and each segment is reported once within 100 ms with its heard position",
  async (t) => {
    await withRoomAvatar(async ({ joinSender, listener }) => {
      const sender = await joinSender("agent");
      await sender.say(tone(5));
      const open = await sender.open();
      await open.write(tone(2));
      await waitFor(() => listener.loudMs() > 700, "it plays");
      const clearedAtMs = performance.now();
      const reply = await sender.clear();
      const repliedAfterMs = performance.now() - clearedAtMs;
      t.equal(reply, "ok");
      t.ok(repliedAfterMs < 100, `replied after ${Math.round(repliedAfterMs)} ms`);
      await waitFor(() => sender.finished.length === 2, "two ends");
      const reportedAfterMs = sender.finished[1].atMs - clearedAtMs;
      t.ok(reportedAfterMs < 100, `reported after ${Math.round(reportedAfterMs)} ms`);
      t.ok(sender.finished.every(({ interrupted }) => interrupted));
      const heardS = listener.loudMs() / 1000;
      t.ok(
        Math.abs(sender.finished[0].positionS! - heardS) < 0.2,
        `position ${sender.finished[0].positionS}, heard ${heardS}`,
      );
      t.equal(sender.finished[1].positionS, 0);
      await open.write(tone(1));
      await open.close();
      await sender.say(tone(0.3));
      await waitFor(() => sender.finished.length === 3, "what comes after a clear plays");
      t.match(sender.finished[2], { interrupted: false, positionS: 0.3 });
      const silentFromMs = clearedAtMs + 200;
      t.ok(listener.loudMs(silentFromMs) < 450, "nothing of what was cleared is heard any more");
      t.equal(sender.reports.length, 5, "started, two interrupted ends, started, finished");
    });
  },
);

t.test("a clear from anyone else, or while nothing plays, changes nothing and reports nothing", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener }) => {
    const sender = await joinSender("agent");
    t.equal(await sender.clear(), "ok");
    await sender.say(tone(0.8));
    await waitFor(() => listener.loudMs() > 200, "it plays");
    const reply = await listener.room.localParticipant!.performRpc({
      destinationIdentity: AVATAR_IDENTITY,
      method: RPC_CLEAR_BUFFER,
      payload: "",
    });
    t.equal(reply, "ignored");
    await waitFor(() => sender.finished.length === 1, "the segment ends");
    t.match(sender.finished[0], { positionS: 0.8, interrupted: false });
    t.equal(sender.reports.length, 2);
  });
});

t.test("the audio is the same for every sample rate, channel count and chunk size", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener }) => {
    const sender = await joinSender("agent");
    const formats = [
      { rateHz: 8_000, channels: 1, chunkBytes: 333 },
      { rateHz: 44_100, channels: 2, chunkBytes: 1_001 },
      { rateHz: 48_000, channels: 2, chunkBytes: 4_095 },
      { rateHz: 16_000, channels: 1, chunkBytes: 1 },
    ];
    for (const [index, { rateHz, channels, chunkBytes }] of formats.entries()) {
      const seconds = chunkBytes === 1 ? 0.05 : 0.5;
      const sinceMs = performance.now();
      await sender.say(tone(seconds, { rateHz, channels }), { sampleRateHz: rateHz, channels, chunkBytes });
      await waitFor(() => sender.finished.length === index + 1, `${rateHz} Hz × ${channels} ends`);
      t.equal(sender.finished[index].positionS, seconds, `${rateHz} Hz × ${channels}: position`);
      if (seconds < 0.5) continue;
      const loud = () => listener.heard.filter(({ atMs, rms }) => atMs > sinceMs && rms > 1000);
      // The segment is over for the avatar before its last sound has passed the listener's buffer.
      await waitFor(() => loud().length >= 10, `${rateHz} Hz × ${channels} is heard`);
      const heard = loud();
      const pitchHz = heard.map((frame) => frame.pitchHz).sort((a, b) => a - b)[heard.length >> 1];
      t.ok(Math.abs(pitchHz - 400) < 60, `${rateHz} Hz × ${channels}: heard at ${Math.round(pitchHz)} Hz`);
    }
    const odd = await sender.open({ chunkBytes: 16_001 });
    await odd.write(tone(0.5));
    await odd.close();
    await waitFor(() => sender.finished.length === 5, "an odd number of bytes ends");
  });
});

t.test("a stream without valid attributes is refused, and the avatar goes on", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener }) => {
    const sender = await joinSender("agent");
    await sender.say(tone(0.3), { attributes: {} });
    await sender.say(tone(0.3), { attributes: { sample_rate: "loud", num_channels: "1" } });
    await sender.say(tone(0.3), { attributes: { sample_rate: "16000", num_channels: "0" } });
    await sender.say(tone(0.3), { attributes: { sample_rate: "99999999999999", num_channels: "1" } });
    await sender.say(tone(0.4));
    await waitFor(() => sender.finished.length === 1, "the good stream ends");
    t.match(sender.finished, [{ positionS: 0.4, interrupted: false }]);
    await waitFor(() => listener.loudMs() > 300, "it is heard");
    t.ok(Math.abs(listener.loudMs() - 400) < 100, "only the good stream is heard");
  });
});

t.test("only the audio of the bound sender plays: the named participant, or the first agent", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener }) => {
    const stranger = await joinSender("stranger");
    await stranger.say(tone(0.5));
    const sender = await joinSender("agent");
    await sender.say(tone(0.3));
    await waitFor(() => sender.finished.length === 1, "the bound sender's segment ends");
    t.ok(listener.loudMs() < 400, "the stranger is not heard");
    t.same(stranger.reports, []);
  });
  await withRoomAvatar(
    async ({ joinSender }) => {
      const first = await joinSender("first");
      await first.say(tone(0.3));
      await waitFor(() => first.finished.length === 1, "the first agent is heard, though it is new");
      const second = await joinSender("second");
      await second.say(tone(0.3));
      await first.say(tone(0.2));
      await waitFor(() => first.finished.length === 2, "the first agent is heard again");
      t.same(second.reports, []);
    },
    { boundTo: null },
  );
});

t.test("a stream that is never closed still ends when it is superseded, times out or its sender leaves", async (t) => {
  await withRoomAvatar(
    async ({ joinSender, listener, avatarRoom }) => {
      const sender = await joinSender("agent");
      const lost = await sender.open();
      await lost.write(tone(0.4));
      await sender.say(tone(0.3));
      await waitFor(() => sender.finished.length === 2, "the superseded stream and the new one end");
      t.match(sender.finished, [
        { positionS: 0.4, interrupted: false },
        { positionS: 0.3, interrupted: false },
      ]);
      const silent = await sender.open();
      await silent.write(tone(0.35));
      await waitFor(() => sender.finished.length === 3, "the silent stream ends");
      t.match(sender.finished[2], { positionS: 0.35, interrupted: false });
      const sinceMs = performance.now();
      const cut = await sender.open();
      await cut.write(tone(0.6));
      await waitFor(() => listener.loudMs(sinceMs) > 50, "it plays");
      await waitFor(() => avatarRoom.remoteParticipants.has("agent"), "the server has named the sender");
      await sender.room.disconnect();
      await waitFor(() => listener.loudMs(sinceMs) > 500, "what arrived plays to its end");
      const back = await joinSender("agent");
      await back.say(tone(0.3));
      await waitFor(() => back.finished.length === 1, "the sender is heard again once it is back");
      t.match(back.reports, [{ method: "started" }, { method: "finished", positionS: 0.3 }]);
    },
    { silenceLimitMs: 1_000 },
  );
});

t.test("trigger_dynamics answers by contract for every payload", async (t) => {
  await withRoomAvatar(async ({ listener }) => {
    const ask = async (payload: string) =>
      JSON.parse(
        await listener.room.localParticipant!.performRpc({
          destinationIdentity: AVATAR_IDENTITY,
          method: RPC_TRIGGER_DYNAMICS,
          payload,
        }),
      );
    t.match(await ask('{"action":"nod"}'), { action: "nod", animation_triggered: true, status: "success" });
    t.match(await ask('{"action":"fly"}'), { action: "fly", animation_triggered: false, status: "success" });
    t.match(await ask("not json"), { action: "", animation_triggered: false, status: "success" });
    t.match(await ask('{"action":{"a":1}}'), { animation_triggered: false, status: "success" });
  });
});

t.test("a message is spoken, captioned sentence by sentence, and not reported to a sender", async (t) => {
  await withRoomAvatar(async ({ joinSender, listener, runner }) => {
    const captions: { text: string; attributes: Record<string, string> }[] = [];
    listener.room.registerTextStreamHandler(TOPIC_TRANSCRIPTION, (reader) => {
      void reader.readAll().then((text) => captions.push({ text, attributes: reader.info.attributes ?? {} }));
    });
    const sender = await joinSender("agent");
    t.equal(await runner.say("Good morning to you. It is a lovely day."), true);
    await waitFor(() => captions.length === 2, "two captions");
    t.same(
      captions.map(({ text }) => text),
      ["Good morning to you.", "It is a lovely day."],
    );
    t.match(captions[0].attributes, { "lk.segment_id": "speak-1-1", "lk.transcription_final": "true" });
    t.match(captions[0].attributes["lk.transcribed_track_id"], /^TR_/);
    await waitFor(() => listener.loudMs() > 1200, "it is heard");
    await runner.say("This will never be finished. This will never be begun.");
    await runner.say("Nor will this.");
    const sinceMs = performance.now();
    await waitFor(() => listener.loudMs(sinceMs) > 300, "the next message plays");
    await sender.clear();
    await sleep(600);
    const silentSinceMs = performance.now() - 400;
    t.equal(listener.loudMs(silentSinceMs), 0, "a clear cuts it off");
    t.ok(captions.length <= 3, "what is not said is not captioned");
    t.equal(await runner.say("   "), false, "nothing to say");
    t.same(sender.reports, []);
  });
});
