// Sessions of realtime events: which events go out, in which order, and which are refused.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { withRealtimeSession } from "../../../helpers/conversation/with-realtime-session.ts";
import { WIRE_FORMS } from "../../../helpers/servers/chat-wire-forms.ts";

const [{ words }] = WIRE_FORMS;

t.test("a spoken turn is recognised, shown and answered aloud, in the order that clients expect", async (t) => {
  await withRealtimeSession({}, async (test) => {
    test.send("session.update", {
      session: { type: "realtime", audio: { input: { transcription: { model: "whisper-1" } } } },
    });
    test.say();
    const done = await test.until("response.done");
    const order = test.types.filter((type, index) => type !== test.types[index - 1]);
    t.same(order, [
      "session.created",
      "session.updated",
      "input_audio_buffer.speech_started",
      "input_audio_buffer.speech_stopped",
      "input_audio_buffer.committed",
      "conversation.item.added",
      "conversation.item.done",
      "conversation.item.input_audio_transcription.delta",
      "conversation.item.input_audio_transcription.completed",
      "response.created",
      "response.output_item.added",
      "conversation.item.added",
      "response.content_part.added",
      "response.output_audio_transcript.delta",
      "response.output_audio.delta",
      "response.output_audio.done",
      "response.output_audio_transcript.done",
      "response.content_part.done",
      "response.output_item.done",
      "conversation.item.done",
      "response.done",
    ]);
    t.equal(new Set(test.events.map(({ event_id }) => event_id)).size, test.events.length, "each event has an id");
    const [user] = test.of("conversation.item.added");
    const [started] = test.of("input_audio_buffer.speech_started");
    t.equal(user.item.id, started.item_id);
    t.same(user.item.content, [{ type: "input_audio", transcript: "Hello there." }]);
    t.match(test.of("conversation.item.added")[1], { previous_item_id: user.item.id, item: { role: "assistant" } });
    t.match(done.response, {
      status: "completed",
      output: [{ content: [{ type: "output_audio", transcript: "It works. It works well." }] }],
      usage: { input_tokens: 21, output_tokens: 9, total_tokens: 30 },
    });
    t.ok(test.audioMs > 1_000, `${test.audioMs} ms of audio`);
    t.match(test.turns, [{ isTyped: false, firstSoundMs: Number }]);
    t.equal(test.server.requests.length, 1, "the answer that was written ahead is the one that is said");
    t.match(test.server.requests[0].body.messages, [
      { role: "system", content: /^Be kind\.[\s\S]*spoken aloud/ },
      { role: "user", content: "Hello there." },
    ]);
  });
});

t.test("tags of expressions that a model writes are neither said nor shown: a call has no face", async (t) => {
  const tagged = { body: words(["[hap", "py] It works. ", "[sad:0.4] It works well."]) };
  await withRealtimeSession({ reply: () => tagged }, async (test) => {
    test.say();
    const done = await test.until("response.done");
    const shown = test.of("response.output_audio_transcript.delta").map(({ delta }) => delta);
    t.equal(shown.join(""), "It works. It works well.");
    t.match(done.response.output, [{ content: [{ transcript: "It works. It works well." }] }]);
    t.ok(test.audioMs > 1_000 && test.audioMs < 4_000, `${test.audioMs} ms of audio`);
  });
});

t.test("clients of the beta get the beta's names and shapes", async (t) => {
  await withRealtimeSession({ dialect: "beta" }, async (test) => {
    test.send("session.update", {
      session: { modalities: ["text", "audio"], voice: "alloy", turn_detection: null, input_audio_format: "pcm16" },
    });
    const { session } = await test.until("session.updated");
    t.match(session, {
      voice: "alloy",
      modalities: ["text", "audio"],
      turn_detection: null,
      output_audio_format: "pcm16",
    });
    test.send("conversation.item.create", {
      item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hi." }] },
    });
    test.send("response.create", { response: { modalities: ["text"] } });
    const done = await test.until("response.done");
    t.same(done.response.output[0].content, [{ type: "text", text: "It works. It works well." }]);
    t.ok(test.types.includes("conversation.created"));
    t.ok(test.types.includes("conversation.item.created"));
    t.ok(test.types.includes("response.text.delta"));
    t.notOk(test.types.some((type) => /output_text|item\.added|item\.done$/.test(type) && !/output_item/.test(type)));
    const from = test.events.length;
    test.send("response.create");
    await test.until("response.done", from);
    t.ok(test.types.includes("response.audio.delta"));
    t.ok(test.types.includes("response.audio_transcript.done"));
  });
});

t.test("bad input is answered with errors that name the event", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const bad: [unknown, object][] = [
      [null, { code: "missing_required_parameter" }],
      ["text", { code: "missing_required_parameter" }],
      [[], { code: "missing_required_parameter" }],
      [
        { type: 7, event_id: "e0" },
        { param: "type", event_id: "e0" },
      ],
      [
        { type: "toString", event_id: "e1" },
        { code: "invalid_value", param: "type", event_id: "e1" },
      ],
      [
        { type: "session.update", event_id: "e2" },
        { param: "session", event_id: "e2" },
      ],
      [
        { type: "session.update", session: { voice: "nobody" } },
        { code: "invalid_value", param: "voice" },
      ],
      [{ type: "session.update", session: { voice: 1 } }, { param: "session.voice" }],
      [{ type: "session.update", session: { type: "translation" } }, { param: "session.type" }],
      [{ type: "input_audio_buffer.append", audio: "&%$" }, { param: "audio" }],
      [{ type: "input_audio_buffer.append", audio: `${" ".repeat(3_000_000)}&` }, { param: "audio" }],
      [{ type: "input_audio_buffer.append", audio: "A".repeat(5_000_000) }, { param: "audio" }],
      [
        { type: "conversation.item.create", item: { type: "message", role: "king", content: [] } },
        { param: "item.role" },
      ],
      [
        {
          type: "conversation.item.create",
          previous_item_id: "x",
          item: { type: "message", role: "user", content: [] },
        },
        { code: "item_not_found" },
      ],
      [
        { type: "conversation.item.delete", item_id: "x", event_id: "e3" },
        { code: "item_not_found", event_id: "e3" },
      ],
      [{ type: "conversation.item.retrieve", item_id: "x" }, { code: "item_not_found" }],
      [
        { type: "conversation.item.truncate", item_id: "x", content_index: 0, audio_end_ms: 0 },
        { code: "item_not_found" },
      ],
      [
        { type: "response.create", response: { input: [{ type: "item_reference", id: "x" }] } },
        { code: "item_not_found" },
      ],
      [{ type: "response.create", response: { max_output_tokens: -1 } }, { code: "invalid_value" }],
    ];
    for (const [event, error] of bad) {
      test.session.receive(event);
      t.match(
        test.events.at(-1),
        { type: "error", error: { type: "invalid_request_error", ...error } },
        JSON.stringify(event)?.slice(0, 80),
      );
    }
    test.say();
    t.equal((await test.until("response.done")).response.status, "completed", "the session goes on");
  });
});

t.test("another model is reported, and the rest of its session.update is applied", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const tools = [{ type: "function", name: "look_up", parameters: { type: "object" } }];
    test.send("session.update", {
      event_id: "first",
      session: { type: "realtime", model: "gpt-realtime", instructions: "Speak of ships.", tools },
    });
    t.match(test.events.slice(-2), [
      { type: "session.updated", session: { model: "service-realtime", instructions: "Speak of ships.", tools } },
      { type: "error", error: { code: "MODEL_LOCKED", param: "session.model", event_id: "first" } },
    ]);
    test.send("session.update", { session: { model: "service-realtime", instructions: "Speak of the sea." } });
    t.match(test.events.at(-1), { type: "session.updated", session: { instructions: "Speak of the sea." } });
    test.send("session.update", { event_id: "bad", session: { model: "gpt-realtime", voice: "nobody" } });
    t.match(test.events.at(-1), { error: { code: "invalid_value", event_id: "bad" } });
  });
});

t.test("ten thousand events at once", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const silence = Buffer.alloc(960).toString("base64");
    for (let count = 0; count < 10_000; count++) {
      const kind = count % 5;
      if (kind === 0) test.send("input_audio_buffer.append", { audio: silence });
      if (kind === 1) test.send("response.create");
      if (kind === 2) test.send("input_audio_buffer.clear");
      if (kind === 3)
        test.send("conversation.item.create", {
          item: { type: "message", role: "user", content: [{ type: "input_audio", audio: silence }] },
        });
      if (kind === 4) test.send("nonsense");
    }
    t.equal((await test.until("response.done")).response.status, "completed");
    const from = test.events.length;
    test.say();
    await test.until("response.done", from);
  });
});

t.test("no event goes out of a closed session", async (t) => {
  await withRealtimeSession({}, async (test) => {
    test.say();
    await test.until("response.output_audio.delta");
    test.session.close();
    const { length } = test.events;
    test.send("response.create");
    test.session.close();
    await delay(100);
    t.equal(test.events.length, length);
  });
});
