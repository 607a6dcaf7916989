// What the person says in a session: turns, commits, and audio that is too much.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { EngineError } from "../../../../../shared/engine-error.ts";
import { withRealtimeSession } from "../../../../helpers/conversation/with-realtime-session.ts";

t.test("without turn detection audio waits for a commit, and the answer for its text", async (t) => {
  await withRealtimeSession({ texts: ["What is it?"] }, async (test) => {
    test.send("session.update", { session: { audio: { input: { turn_detection: null } } } });
    test.send("input_audio_buffer.commit", { event_id: "early" });
    t.match(test.events.at(-1), { error: { code: "input_audio_buffer_commit_empty", event_id: "early" } });
    test.say(900, 0);
    t.notOk(test.types.includes("input_audio_buffer.speech_started"));
    test.send("input_audio_buffer.commit");
    test.send("response.create");
    await test.until("response.done");
    t.ok(Math.abs(test.heardSeconds[0] - 0.9) < 0.01, String(test.heardSeconds));
    t.match(test.server.requests[0].body.messages.at(-1), { role: "user", content: "What is it?" });
  });
});

t.test("server_vad ends a turn after its silence, and answers only if it is to", async (t) => {
  await withRealtimeSession({ endOfTurn: { predict: async () => 0, threshold: () => 0.5 } }, async (test) => {
    const detection = { type: "server_vad", silence_duration_ms: 300, create_response: false };
    test.send("session.update", { session: { turn_detection: detection } });
    test.say(700, 400);
    await test.until("conversation.item.done");
    await delay(50);
    t.notOk(test.types.includes("response.created"));
    t.equal(test.server.requests.length, 0);
    test.send("response.create");
    await test.until("response.done");
    t.match(test.server.requests[0].body.messages.at(-1), { content: "Hello there." });
  });
});

t.test("a commit ends a turn that goes on", async () => {
  await withRealtimeSession({}, async (test) => {
    test.say(700, 0);
    await test.until("input_audio_buffer.speech_started");
    test.send("input_audio_buffer.commit");
    await test.until("response.done");
  });
});

t.test("a sound without words gets no answer", async (t) => {
  await withRealtimeSession({ texts: [""] }, async (test) => {
    test.say();
    await test.until("input_audio_buffer.speech_stopped");
    t.notOk(test.types.includes("response.created"));
    t.notOk(test.types.includes("input_audio_buffer.committed"));
  });
});

t.test("speech recognition that fails is reported, and the avatar says that it did not understand", async (t) => {
  const gone = new EngineError("invalid-input", "No.");
  await withRealtimeSession({ texts: [gone] }, async (test) => {
    test.send("session.update", { session: { input_audio_transcription: { model: "x" } } });
    test.say();
    await test.until("conversation.item.input_audio_transcription.failed");
    const done = await test.until("response.done");
    t.match(done.response.output[0].content[0].transcript, /didn't catch/);
    t.same(test.faults, ["stt"]);
  });
});

t.test("a minute of audio at once is recognised whole", async (t) => {
  await withRealtimeSession({}, async (test) => {
    test.say(20_000, 500);
    await test.until("response.done");
    t.ok(Math.abs(test.heardSeconds[0] - 20.5) < 1, String(test.heardSeconds));
  });
});

t.test("telephone audio goes in and out", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const law = { type: "audio/pcmu" };
    test.send("session.update", {
      session: { audio: { input: { format: law, turn_detection: null }, output: { format: law } } },
    });
    test.send("input_audio_buffer.append", { audio: Buffer.alloc(8_000, 0xff).toString("base64") });
    test.send("input_audio_buffer.commit");
    test.send("response.create");
    await test.until("response.done");
    t.ok(Math.abs(test.heardSeconds[0] - 1) < 0.02);
    // A byte a sample of 8 kHz is a sixth of what the helper counts.
    t.ok(test.audioMs * 6 > 1_000 && test.audioMs * 6 < 6_000, `${test.audioMs * 6} ms`);
  });
});

t.test("a recording may come at once, but not one after the other", async (t) => {
  await withRealtimeSession({}, async (test) => {
    test.send("session.update", { session: { turn_detection: null } });
    const minute = Buffer.alloc(60 * 48_000).toString("base64");
    for (let count = 0; count < 20; count++) {
      test.send("input_audio_buffer.append", { audio: minute });
      if (count % 8 === 7) test.send("input_audio_buffer.clear");
    }
    const codes = test.of("error").map(({ error }) => error.code);
    t.ok(codes.includes("rate_limit_exceeded"), String(codes));
    t.ok(codes.length < 10, "ten minutes are taken");
  });
});
