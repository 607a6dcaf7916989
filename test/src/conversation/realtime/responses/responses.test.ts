// What a session answers: one response at a time, with overrides, functions and faults.
import t from "tap";
import { EngineError } from "../../../../../shared/engine-error.ts";
import { withRealtimeSession } from "../../../../helpers/conversation/with-realtime-session.ts";
import { WIRE_FORMS } from "../../../../helpers/servers/chat-wire-forms.ts";

const [{ words, calls }] = WIRE_FORMS;
const LONG_ANSWER = Array.from({ length: 60 }, (_, i) => `This is sentence number ${i} of a long story. `);

t.test("responses take overrides, and items of their own outside the conversation", async (t) => {
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

t.test("one response at a time: a second one is refused, and a cancellation without one too", async (t) => {
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

t.test("too few tokens leave a response incomplete", async (t) => {
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
    t.same(test.faults, ["llm"]);
  });
});

t.test("without a language model the person hears that there is none", async (t) => {
  await withRealtimeSession({ hasLlm: false }, async (test) => {
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
