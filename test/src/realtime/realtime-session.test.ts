// Sessions of realtime events: which events go out, in which order, and what the model is told.
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import t from "tap";
import { EngineError } from "../../../src/engine-error.ts";
import { WIRE_FORMS } from "../../helpers/chat-wire-forms.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withRealtimeSession } from "../../helpers/with-realtime-session.ts";

const [{ words, calls }] = WIRE_FORMS;
const LONG_ANSWER = Array.from({ length: 60 }, (_, i) => `This is sentence number ${i} of a long story. `);

t.test("a spoken turn is heard, shown and answered aloud, in the order that clients expect", async (t) => {
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

t.test("turns", async (t) => {
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

  t.test("ears that fail are told, and the person hears that they were not understood", async (t) => {
    const gone = new EngineError("invalid-input", "No.");
    await withRealtimeSession({ texts: [gone] }, async (test) => {
      test.send("session.update", { session: { input_audio_transcription: { model: "x" } } });
      test.say();
      await test.until("conversation.item.input_audio_transcription.failed");
      const done = await test.until("response.done");
      t.match(done.response.output[0].content[0].transcript, /didn't catch/);
      t.same(test.faults, ["ears"]);
    });
  });

  t.test("a minute of audio at once is heard whole", async (t) => {
    await withRealtimeSession({}, async (test) => {
      test.say(20_000, 500);
      await test.until("response.done");
      t.ok(Math.abs(test.heardSeconds[0] - 20.5) < 1, String(test.heardSeconds));
    });
  });
});

t.test("cutting in", async (t) => {
  const reply = () => ({ body: words(LONG_ANSWER) });

  t.test("the person's speech cancels the answer, and what was not heard is forgotten", async (t) => {
    await withRealtimeSession({ reply, texts: ["Tell me a story.", "Stop."] }, async (test) => {
      test.say();
      await test.until("response.output_audio.delta");
      await delay(700);
      const from = test.events.length;
      test.append(300, 8_000);
      const done = await test.until("response.done", from);
      t.match(done.response, { status: "cancelled", status_details: { type: "cancelled", reason: "turn_detected" } });
      const order = test.types.slice(from);
      t.ok(order.indexOf("input_audio_buffer.speech_started") < order.indexOf("response.done"));
      const at = test.events.length;
      test.append(500, 0);
      await test.until("response.created", at);
      await test.until("response.output_audio.delta", at);
      const messages = test.server.requests.at(-1)?.body.messages;
      const said = messages.findLast(({ role }: { role: string }) => role === "assistant")?.content ?? "";
      t.ok(said.length > 0 && said.length < 60, `the model knows what was heard: ${said}`);
    });
  });

  t.test("a short hum beside the answer does not end it", async (t) => {
    await withRealtimeSession({ reply, texts: ["Tell me a story.", "Mhm."] }, async (test) => {
      test.say();
      await test.until("response.output_audio.delta");
      test.append(90, 8_000);
      test.append(600, 0);
      await waitFor(() => test.heardSeconds.length === 2, "the hum is heard");
      await delay(50);
      t.equal(test.of("input_audio_buffer.speech_started").length, 1);
      t.notOk(test.types.includes("response.done"));
    });
  });

  t.test("a client that truncates says what was heard", async (t) => {
    await withRealtimeSession({ reply }, async (test) => {
      test.say();
      const { item_id } = await test.until("response.output_audio.delta");
      test.send("response.cancel");
      test.send("conversation.item.truncate", { item_id, content_index: 0, audio_end_ms: 1_000 });
      t.match(test.events.at(-1), { type: "conversation.item.truncated", audio_end_ms: 1_000 });
      test.send("conversation.item.retrieve", { item_id });
      const part = test.events.at(-1)?.item.content[0];
      t.match(part.transcript, /^This is sentence/);
      t.ok(part.transcript.length < 60);
      test.send("conversation.item.truncate", { item_id, content_index: 0, audio_end_ms: 0 });
      test.send("conversation.item.retrieve", { item_id });
      t.equal(test.events.at(-1)?.item.content[0].transcript, "");
    });
  });

  t.test("without interrupt_response the answer goes on, and the next one comes behind it", async (t) => {
    const short = (_: unknown, count: number) => ({ body: words([`Answer ${count}. It takes a moment.`]) });
    await withRealtimeSession({ reply: short }, async (test) => {
      const detection = { type: "semantic_vad", interrupt_response: false };
      test.send("session.update", { session: { turn_detection: detection } });
      test.say();
      await test.until("response.created");
      test.say();
      const first = await test.until("response.done");
      t.equal(first.response.status, "completed");
      const second = await test.until("response.done", test.events.indexOf(first) + 1);
      t.equal(second.response.status, "completed");
    });
  });

  t.test("an answer goes out at most ten seconds ahead of its time", async (t) => {
    await withRealtimeSession({ reply }, async (test) => {
      test.say();
      await test.until("response.output_audio.delta");
      await delay(1_500);
      t.ok(test.audioMs > 9_000 && test.audioMs < 16_000, `${test.audioMs} ms`);
    });
  });
});

t.test("functions", async (t) => {
  const tool = {
    type: "function",
    name: "get_weather",
    description: "Tells the weather.",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  };

  t.test("a call ends the response, and its output leads to the answer", async (t) => {
    const reply = (_: unknown, count: number) =>
      count === 1
        ? { body: calls([{ id: "c1", name: "get_weather", args: { city: "Paris" } }]) }
        : { body: words(["It rains."]) };
    await withRealtimeSession({ reply }, async (test) => {
      test.send("session.update", { session: { tools: [tool], tool_choice: "auto" } });
      test.say();
      const { response } = await test.until("response.done");
      t.match(response, {
        status: "completed",
        output: [{ type: "function_call", name: "get_weather", call_id: "c1", arguments: '{"city":"Paris"}' }],
      });
      t.match(test.of("response.function_call_arguments.done"), [{ call_id: "c1", arguments: '{"city":"Paris"}' }]);
      const from = test.events.length;
      test.send("conversation.item.create", {
        item: { type: "function_call_output", call_id: "c1", output: '{"sky":"rain"}' },
      });
      test.send("response.create");
      const done = await test.until("response.done", from);
      t.match(done.response.output[0].content[0].transcript, "It rains.");
      const { messages } = test.server.requests[1].body;
      t.match(messages.slice(-3), [
        { role: "user", content: "Hello there." },
        { role: "assistant", tool_calls: [{ id: "c1" }] },
        { role: "tool", tool_call_id: "c1", content: '{"sky":"rain"}' },
      ]);
      test.say();
      await test.until("response.done", test.events.length);
      t.match(test.server.requests[2].body.messages[0].content, /Result of get_weather.*\n\{"sky":"rain"\}/);
    });
  });

  t.test("tool_choice is passed on", async (t) => {
    await withRealtimeSession({}, async (test) => {
      test.send("session.update", { session: { turn_detection: null, tools: [tool] } });
      for (const tool_choice of ["none", "required", "get_weather", { type: "function", name: "get_weather" }]) {
        const from = test.events.length;
        test.send("response.create", { response: { tool_choice, output_modalities: ["text"] } });
        await test.until("response.done", from);
      }
      const named = { type: "function", function: { name: "get_weather" } };
      t.same(
        test.server.requests.map(({ body }) => body.tool_choice),
        [undefined, "required", named, named],
      );
      t.equal(test.server.requests[0].body.tools, undefined);
    });
  });
});

t.test("responses", async (t) => {
  t.test("take overrides, and items of their own outside the conversation", async (t) => {
    await withRealtimeSession({}, async (test) => {
      test.send("response.create", {
        event_id: "mine",
        response: {
          conversation: "none",
          instructions: "Sort it.",
          output_modalities: ["text"],
          metadata: { topic: "sorting" },
          input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "b, a" }] }],
        },
      });
      const { response } = await test.until("response.done");
      t.match(response, { metadata: { topic: "sorting" }, conversation_id: null, status: "completed" });
      t.notOk(test.types.includes("conversation.item.added"));
      t.same(test.server.requests[0].body.messages, [
        { role: "system", content: "Sort it." },
        { role: "user", content: "b, a" },
      ]);
    });
  });

  t.test("a greeting can be requested before anything was said", async (t) => {
    await withRealtimeSession({}, async (test) => {
      test.send("response.create", { response: { instructions: "Greet the user." } });
      t.equal((await test.until("response.done")).response.status, "completed");
      t.match(test.server.requests[0].body.messages.at(-1), { role: "user" });
    });
  });

  t.test("one at a time: a second one is refused, and a cancellation without one too", async (t) => {
    await withRealtimeSession({}, async (test) => {
      test.send("response.create");
      test.send("response.create", { event_id: "second" });
      t.match(test.events.at(-1), {
        type: "error",
        error: { code: "conversation_already_has_active_response", event_id: "second" },
      });
      test.send("response.cancel");
      t.match(test.events.at(-1), {
        response: { status: "cancelled", status_details: { reason: "client_cancelled" } },
      });
      test.send("response.cancel", { event_id: "again" });
      t.match(test.events.at(-1), { error: { message: /^Cancellation failed/, event_id: "again" } });
      test.send("response.create", { response: { output_modalities: ["text"] } });
      t.equal(test.events.at(-1)?.type, "response.created", "at once");
    });
  });

  t.test("too few tokens leave it incomplete", async (t) => {
    await withRealtimeSession({ reply: () => ({ body: words(LONG_ANSWER) }) }, async (test) => {
      test.send("response.create", { response: { max_output_tokens: 5, output_modalities: ["text"] } });
      const { response } = await test.until("response.done");
      t.match(response, { status: "incomplete", status_details: { reason: "max_output_tokens" } });
    });
  });

  t.test("a model that fails is told, with a sentence for the person", async (t) => {
    await withRealtimeSession({ reply: () => ({ status: 404, body: "no" }) }, async (test) => {
      test.say();
      const { response } = await test.until("response.done");
      t.match(response, { status: "failed", status_details: { type: "failed", error: { type: "server_error" } } });
      t.match(response.output[0].content[0].transcript, /can't answer right now/);
      t.same(test.faults, ["mind"]);
    });
  });

  t.test("without a language model the person hears that there is none", async (t) => {
    await withRealtimeSession({ hasMind: false }, async (test) => {
      test.say();
      const { response } = await test.until("response.done");
      t.match(response.output[0].content[0].transcript, /no language model/);
      t.ok(test.audioMs > 500);
    });
  });

  t.test("a voice that fails ends the response", async (t) => {
    const voice = {
      // biome-ignore lint/correctness/useYield: it fails before it speaks
      async *synthesize() {
        throw new EngineError("program-failed", "The voice process failed.");
      },
      close: async () => undefined,
    };
    await withRealtimeSession({ voice }, async (test) => {
      test.say();
      t.equal((await test.until("response.done")).response.status, "failed");
      t.same(test.faults, ["voice"]);
    });
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

t.test("items are created, ordered and deleted by their ids", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const message = (id: string, text: string) => ({
      item: { id, type: "message", role: "user", content: [{ type: "input_text", text }] },
    });
    test.send("conversation.item.create", message("one", "First."));
    test.send("conversation.item.create", message("three", "Third."));
    test.send("conversation.item.create", { previous_item_id: "one", ...message("two", "Second.") });
    t.match(test.events.at(-1), { previous_item_id: "one", item: { id: "two" } });
    test.send("conversation.item.create", { previous_item_id: "root", ...message("zero", "Before.") });
    test.send("conversation.item.create", { event_id: "twice", ...message("two", "Second.") });
    t.match(test.events.at(-1), { error: { code: "item_create_duplicate_id", event_id: "twice" } });
    test.send("conversation.item.delete", { item_id: "three" });
    t.match(test.events.at(-1), { type: "conversation.item.deleted", item_id: "three" });
    test.send("response.create", { response: { output_modalities: ["text"] } });
    await test.until("response.done");
    t.match(test.server.requests[0].body.messages.at(-1), { content: "Before.\nFirst.\nSecond." });
  });
});

t.test("the newest image since the last answer is shown to the model, as it was sent", async (t) => {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: "#abc" } });
  const contents = {
    jpeg: await image.jpeg().toBuffer(),
    png: await image.png().toBuffer(),
    webp: await image.webp().toBuffer(),
  };
  await withRealtimeSession({}, async (test) => {
    const show = (...content: object[]) =>
      test.send("conversation.item.create", { item: { type: "message", role: "user", content } });
    const picture = (type: keyof typeof contents) => ({
      type: "input_image",
      image_url: `data:image/${type};base64,${contents[type].toString("base64")}`,
    });
    show(picture("jpeg"));
    show(picture("webp"));
    show(picture("png"), { type: "input_text", text: "What is it?" });
    test.send("response.create", { response: { output_modalities: ["text"] } });
    await test.until("response.done");
    t.match(test.server.requests[0].body.messages.at(-1).content, [
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: picture("png").image_url } },
    ]);
    const from = test.events.length;
    show({ type: "input_text", text: "And this?" });
    test.send("response.create", { response: { output_modalities: ["text"] } });
    await test.until("response.done", from);
    t.equal(test.server.requests[1].body.messages.at(-1).content, "And this?", "an earlier one is not shown again");
  });
});

t.test("an image that cannot be decoded is an error that names its type, and nothing is added", async (t) => {
  const image = sharp({ create: { width: 64, height: 64, channels: 3, background: "#abc" } });
  const png = await image.png().toBuffer();
  const urls: [string | undefined, RegExp][] = [
    [`data:image/gif;base64,${(await image.gif().toBuffer()).toString("base64")}`, /image\/gif/],
    [`data:image/png;base64,${png.subarray(0, -20).toString("base64")}`, /image\/png/],
    [`data:image/jpeg;base64,${Buffer.from("no image").toString("base64")}`, /image\/jpeg/],
    ["data:application/pdf;base64,JVBERg==", /application\/pdf/],
    ["https://example.com/x.png", /not fetched/],
    [undefined, /data URL/],
  ];
  await withRealtimeSession({}, async (test) => {
    for (const [image_url, message] of urls) {
      test.send("conversation.item.create", {
        event_id: "shown",
        item: { type: "message", role: "user", content: [{ type: "input_image", image_url }] },
      });
      t.match(test.events.at(-1), { error: { code: "invalid_image", message, event_id: "shown" } });
    }
    t.same(test.of("conversation.item.added"), []);
    const huge = Buffer.from(png);
    huge.writeUInt32BE(1_000_000, 16);
    test.send("response.create", {
      response: {
        input: [
          {
            type: "message",
            role: "user",
            content: [{ type: "input_image", image_url: `data:image/png;base64,${huge.toString("base64")}` }],
          },
        ],
      },
    });
    t.match(test.events.at(-1), { error: { code: "invalid_image" } });
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
