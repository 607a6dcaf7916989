// A conversation that a realtime server leads: what the server is told, what the avatar says, and what happens when the
// server fails.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { settled } from "../../../helpers/conversation/scripted-conversation.ts";
import { ScriptedRemote, second } from "../../../helpers/servers/scripted-remote.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.test("the session is set up in the server's spelling, with what was said before", async (t) => {
  const history = [
    { role: "assistant" as const, text: "Hello." },
    { role: "context" as const, text: "It rains." },
  ];
  const today = new ScriptedRemote({ history });
  today.leader.pushAudio(new Int16Array(320));
  t.same(today.sent, [], "nothing is sent before");
  today.open();
  t.match(today.sent[0], {
    type: "session.update",
    session: {
      type: "realtime",
      instructions: "Be kind.",
      output_modalities: ["audio"],
      audio: { input: { turn_detection: { type: "semantic_vad" } }, output: { voice: "marin" } },
    },
  });
  t.match(today.sent.slice(1), [
    {
      type: "conversation.item.create",
      item: { role: "assistant", content: [{ type: "output_text", text: "Hello." }] },
    },
    {
      type: "conversation.item.create",
      item: { role: "system", content: [{ type: "input_text", text: "It rains." }] },
    },
  ]);
  today.leader.pushAudio(new Int16Array(1_600));
  const { audio } = today.sent.at(-1) ?? {};
  t.ok(Math.abs(Buffer.from(audio, "base64").length - 4_800) < 200, "0.1 s at 24 kHz");
  const beta = new ScriptedRemote();
  beta.open({ modalities: ["text", "audio"], input_audio_format: "pcm16" });
  t.match(beta.sent[0].session, { modalities: ["text", "audio"], input_audio_format: "pcm16", voice: "marin" });
  for (const remote of [today, beta]) await remote.leader.close();
});

t.test("what a server does not know is left out: semantic_vad, then the function; then it is given up", async (t) => {
  const remote = new ScriptedRemote();
  remote.event("session.created", { session: { type: "realtime" } });
  const refuse = () => remote.event("error", { error: { code: "invalid_value", event_id: "setup" } });
  refuse();
  t.match(remote.sent[1].session.audio.input.turn_detection, { type: "server_vad" });
  t.equal(remote.sent[1].session.tools.length, 1);
  refuse();
  t.same(remote.sent[2].session.tools, []);
  t.equal(remote.failed, undefined);
  refuse();
  await settled();
  t.ok(remote.failed);
});

t.test("a turn: the person's words are shown and kept, the answer is played, shown and kept, in order", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  remote.event("input_audio_buffer.speech_started", { item_id: "u1" });
  t.same(remote.speaking, [true]);
  remote.event("input_audio_buffer.speech_stopped", { item_id: "u1" });
  remote.event("input_audio_buffer.committed", { item_id: "u1" });
  remote.begin("r1");
  remote.event("response.output_audio_transcript.delta", { response_id: "r1", delta: "Fine. " });
  remote.event("response.output_audio.delta", { response_id: "r1", delta: second() });
  remote.event("response.output_audio_transcript.delta", { response_id: "r1", delta: "And " });
  remote.event("response.output_audio_transcript.delta", { response_id: "r1", delta: "you?" });
  remote.event("response.output_audio.delta", { response_id: "r1", delta: second() });
  remote.event("response.done", { response: { id: "r1", status: "completed" } });
  t.equal(remote.last?.madeMs, 2_000);
  t.ok(remote.last?.isComplete);
  t.same(remote.last?.captions, ["0 Fine.", "1000 And you?"]);
  remote.last?.finish();
  await settled();
  t.same(remote.messages, [], "the answer waits for the words before it");
  remote.event("conversation.item.input_audio_transcription.completed", { item_id: "u1", transcript: "How are you?" });
  t.same(remote.transcript, ["user: How are you?", "assistant: Fine. And you?"]);
  t.same(remote.shown, ["How are you?|"]);
  t.same(remote.states, ["thinking", "speaking", "listening"]);
  t.match(remote.turns, [{ firstSoundMs: Number, firstPieceMs: Number }]);
  await remote.leader.close();
});

t.test("words that are written down piece by piece are shown as far as they go", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  const transcription = "conversation.item.input_audio_transcription";
  for (const item_id of ["u1", "u2"]) {
    remote.event("input_audio_buffer.committed", { item_id });
    for (const delta of ["How", " are"]) remote.event(`${transcription}.delta`, { item_id, delta });
    remote.event(`${transcription}.completed`, { item_id, transcript: "How are you?" });
  }
  t.same(remote.shown, ["How", "How are", "How are you?|", "How", "How are", "How are you?|"]);
  await remote.leader.close();
});

t.test("the beta's names of events mean the same", async (t) => {
  const remote = new ScriptedRemote();
  remote.open({ modalities: ["audio"] });
  remote.begin("r1");
  remote.event("response.audio_transcript.delta", { response_id: "r1", delta: "Yes." });
  remote.event("response.audio.delta", { response_id: "r1", delta: second() });
  t.equal(remote.last?.madeMs, 1_000);
  remote.event("response.done", { response: { id: "r1" } });
  remote.last?.finish();
  await settled();
  t.same(remote.transcript, ["assistant: Yes."]);
  await remote.leader.close();
});

t.test("a person who cuts in silences the avatar; the server and the transcript learn what was heard", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  remote.begin("r1");
  remote.event("response.output_audio_transcript.delta", {
    response_id: "r1",
    delta: "One two three four five six seven eight.",
  });
  remote.event("response.output_audio.delta", { response_id: "r1", delta: second() });
  remote.last?.pushAudio(500);
  remote.event("input_audio_buffer.speech_started", { item_id: "u1" });
  t.ok(remote.last?.isStopped);
  await settled();
  t.match(remote.sent.slice(-2), [
    { type: "response.cancel", response_id: "r1" },
    { type: "conversation.item.truncate", item_id: "item_r1", content_index: 0, audio_end_ms: 500 },
  ]);
  t.same(remote.transcript, ["assistant: One two three four"]);
  remote.event("response.output_audio.delta", { response_id: "r1", delta: second() });
  t.equal(remote.utterances.length, 1, "what still comes of it is ignored");
  remote.event("response.done", { response: { id: "r1", status: "cancelled" } });
  remote.answer("Yes?", "r2");
  t.equal(remote.utterances.length, 2);
  await remote.leader.close();
});

t.test("typed text is a turn that ends what the avatar says", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  remote.answer("A long story.", "r1");
  remote.last?.pushAudio(300);
  remote.leader.type("Stop.");
  t.ok(remote.last?.isStopped);
  t.match(remote.sent.at(-2), { item: { role: "user", content: [{ text: "Stop." }] } });
  t.equal(remote.sent.at(-1)?.type, "response.create");
  remote.answer("Well.", "r2");
  remote.last?.finish();
  await settled();
  t.same(remote.transcript.slice(-2), ["user: Stop.", "assistant: Well."]);
  await remote.leader.close();
});

t.test("greeting and lines are requested word for word, one at a time, when the floor is free", async (t) => {
  const remote = new ScriptedRemote();
  remote.leader.greet("Welcome!");
  const line = remote.leader.speak("We close at six.");
  remote.open();
  t.match(remote.sent.at(-1), { type: "response.create", response: { instructions: /\nWelcome!$/ } });
  const { length } = remote.sent;
  remote.answer("Welcome!", "r1");
  t.equal(remote.sent.length, length, "the line waits");
  remote.last?.finish();
  await settled();
  t.match(remote.sent.at(-1), { response: { instructions: /\nWe close at six\.$/ } });
  t.same(remote.leader.snapshot.lines, ["We close at six."]);
  remote.answer("We close at six.", "r2");
  remote.last?.pushAudio(200);
  t.equal(await line, true);
  t.same(remote.leader.snapshot.lines, []);
  t.equal(remote.leader.snapshot.heard, "We");
  await remote.leader.close();
  const again = new ScriptedRemote({ history: [{ role: "assistant", text: "Welcome!" }] });
  again.leader.greet("Welcome!");
  again.open();
  t.notOk(again.commands.includes("response.create"), "it is not greeted twice");
  await again.leader.close();
});

t.test("another process goes on: with the answer to what was said last, then the lines", async (t) => {
  const remote = new ScriptedRemote({ history: [{ role: "user", text: "Who are you?" }] });
  remote.leader.goOn({ heard: "", lines: ["A line."] });
  remote.open();
  t.same(remote.commands, ["session.update", "conversation.item.create", "response.create"]);
  t.same(remote.sent.at(-1)?.response, {});
  await remote.leader.close();
});

t.test("the server searches the agent's documents", async (t) => {
  const remote = new ScriptedRemote({
    search: async (query) => [{ file_name: "a.txt", heading: "", text: `About ${query}.` }],
  });
  remote.open();
  t.match(remote.sent[0].session.tools, [{ name: "search_documents" }]);
  remote.event("response.created", { response: { id: "r1" } });
  const item = { type: "function_call", call_id: "c1", name: "search_documents", arguments: '{"query":"tea"}' };
  remote.event("response.output_item.done", { response_id: "r1", item });
  remote.event("response.done", { response: { id: "r1", status: "completed" } });
  await waitFor(() => remote.commands.at(-1) === "response.create", "the next response");
  t.match(remote.sent.at(-2)?.item, { type: "function_call_output", call_id: "c1", output: /About tea\./ });
  remote.event("response.created", { response: { id: "r2" } });
  const broken = { type: "function_call", call_id: "c2", name: "search_documents", arguments: "{" };
  remote.event("response.output_item.done", { response_id: "r2", item: broken });
  await waitFor(() => remote.sent.some(({ item }) => item?.call_id === "c2"), "its output");
  t.equal(remote.sent.find(({ item }) => item?.call_id === "c2")?.item.output, "The search failed.");
  await remote.leader.close();
});

/** A call of `set_expression`. */
const call = (args: string, call_id = "c1", name = "set_expression") => ({
  item: { type: "function_call", call_id, name, arguments: args },
});

t.test("a server sets the expression of what it says next, and is told to speak if it has not", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  t.match(remote.sent[0].session.tools, [{ type: "function", name: "set_expression" }]);
  remote.event("input_audio_buffer.speech_stopped", { item_id: "u1" });
  remote.event("response.created", { response: { id: "r1" } });
  remote.event("response.output_item.done", { response_id: "r1", ...call('{"emotion":"happy","intensity":0.5}') });
  t.match(remote.sent.at(-1)?.item, { type: "function_call_output", call_id: "c1", output: /face/ });
  const line = remote.leader.speak("A line.");
  remote.event("response.done", { response: { id: "r1", status: "completed" } });
  t.same(remote.sent.at(-1)?.response, {}, "the answer comes before the line");
  remote.answer("Hello!", "r2");
  t.same(remote.last?.expressions, ["0 happy:0.5"]);
  remote.last?.finish();
  await settled();
  t.equal(remote.turns.length, 1, "the latency of the turn is that of the answer");
  t.match(remote.sent.at(-1)?.response, { instructions: /\nA line\.$/, tool_choice: "none" });
  remote.answer("A line.", "r3");
  t.same(remote.last?.expressions, [], "an expression ends with its answer");
  remote.last?.finish();
  t.equal(await line, true);
  await remote.leader.close();
});

t.test("a call within an answer holds from there on, and no further answer is requested", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  remote.begin("r1");
  remote.event("response.output_audio.delta", { response_id: "r1", delta: second() });
  remote.event("response.output_item.done", { response_id: "r1", ...call('{"emotion":"sad"}') });
  remote.event("response.output_audio.delta", { response_id: "r1", delta: second() });
  remote.event("response.done", { response: { id: "r1", status: "completed" } });
  remote.last?.finish();
  await settled();
  t.same(remote.last?.expressions, ["1000 sad"]);
  t.notOk(remote.commands.includes("response.create"));
  await remote.leader.close();
});

t.test("a wrong call is told the names, and one that the person cuts off shows nothing", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  const outputs = ['{"emotion":"bored"}', '{"emotion":"happy","intensity":2}', "{", "7", ""].map((args, at) => {
    remote.event("response.created", { response: { id: `r${at}` } });
    remote.event("response.output_item.done", { response_id: `r${at}`, ...call(args, `c${at}`) });
    const { output } = remote.sent.at(-1)?.item ?? {};
    remote.event("response.done", { response: { id: `r${at}`, status: "completed" } });
    return output;
  });
  t.match(outputs, [/"bored".*neutral, happy/, /0 to 1/, /JSON/, /neutral, happy/, /neutral, happy/]);
  remote.event("response.created", { response: { id: "r9" } });
  remote.event("response.output_item.done", { response_id: "r9", ...call('{"emotion":"angry"}') });
  remote.event("input_audio_buffer.speech_started", { item_id: "u1" });
  remote.answer("Yes?", "r10");
  t.same(remote.last?.expressions, []);
  await remote.leader.close();
});

t.test("each call of an answer gets its output", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  remote.event("response.created", { response: { id: "r1" } });
  for (const [id, emotion] of Object.entries({ c1: "sad", c2: "content" })) {
    remote.event("response.output_item.done", { response_id: "r1", ...call(JSON.stringify({ emotion }), id) });
  }
  remote.event("response.done", { response: { id: "r1", status: "completed" } });
  t.match(remote.sent.slice(1), [
    { item: { call_id: "c1" } },
    { item: { call_id: "c2" } },
    { type: "response.create" },
  ]);
  remote.answer("Well.", "r2");
  t.same(remote.last?.expressions, ["0 content"], "the last one counts");
  await remote.leader.close();
});

t.test("a server's own functions stay, and it runs them itself", async (t) => {
  const own = { type: "function", name: "book_table", parameters: { type: "object" } };
  const remote = new ScriptedRemote();
  remote.open({ type: "realtime", tools: [own] });
  t.match(remote.sent[0].session.tools, [own, { name: "set_expression" }]);
  remote.event("response.created", { response: { id: "r1" } });
  remote.event("response.output_item.done", { response_id: "r1", ...call("{}", "c1", "book_table") });
  remote.event("response.done", { response: { id: "r1", status: "completed" } });
  t.same(remote.commands, ["session.update"]);
  const named = new ScriptedRemote();
  named.open({ type: "realtime", tools: [{ ...own, name: "set_expression" }] });
  t.equal(named.sent[0].session.tools.length, 1, "a function of that name is the server's");
  for (const each of [remote, named]) await each.leader.close();
});

t.test("a server that fails is given up once, with what was said and heard", async (t) => {
  const remote = new ScriptedRemote();
  remote.open();
  remote.say("Tell me a story.");
  remote.begin("r1");
  remote.event("response.output_audio_transcript.delta", { response_id: "r1", delta: "Once upon a time." });
  remote.event("response.output_audio.delta", { response_id: "r1", delta: second() });
  remote.last?.pushAudio(500);
  void remote.leader.speak("A line.");
  remote.closed();
  remote.closed();
  await settled();
  t.match(remote.failed, { history: ["user: Tell me a story.", "assistant: Once upon"], lines: ["A line."] });
  t.same(remote.faults, ["llm"]);
  t.ok(remote.isLinkClosed);
  remote.answer("Late.", "r2");
  t.equal(remote.utterances.length, 1);
});

t.test("faults: no connection, no session, no answer, garbage, errors", async (t) => {
  t.test("a connection that cannot be made", async (t) => {
    const remote = new ScriptedRemote({
      connect: () => {
        throw new Error("private address");
      },
    });
    await settled();
    t.ok(remote.failed);
  });

  t.test("an error that ends the account's use, and a response that fails unheard", async (t) => {
    const broke = new ScriptedRemote();
    broke.open();
    broke.event("error", { error: { code: "insufficient_quota", message: "no money" } });
    const failing = new ScriptedRemote();
    failing.open();
    failing.event("response.created", { response: { id: "r1" } });
    failing.event("response.done", { response: { id: "r1", status: "failed" } });
    await settled();
    t.ok(broke.failed);
    t.ok(failing.failed);
  });

  t.test("an answer that is said to be complete twice, or after it was interrupted, is no fault", async (t) => {
    const remote = new ScriptedRemote();
    remote.open();
    remote.answer("Fine.", "r1");
    remote.event("response.done", { response: { id: "r1", status: "completed" } });
    remote.last?.pushAudio(400);
    remote.event("input_audio_buffer.speech_started", { item_id: "u1" });
    remote.event("response.done", { response: { id: "r1", status: "cancelled" } });
    await settled();
    t.same(remote.commands.slice(1), ["conversation.item.truncate"], "what is complete is not cancelled");
    t.equal(remote.failed, undefined);
    await remote.leader.close();
  });

  t.test("garbage and late cancellations are no faults", async (t) => {
    const remote = new ScriptedRemote();
    remote.open();
    for (const event of [null, 1, [], {}, { type: 7 }, { type: "response.output_audio.delta", delta: 5 }]) {
      remote.raw(event);
    }
    remote.event("error", { error: { code: "response_cancel_not_active" } });
    remote.event("response.output_audio.delta", { delta: "no base64 &&&" });
    await settled();
    t.equal(remote.failed, undefined);
    await remote.leader.close();
    await delay(1);
    t.equal(remote.failed, undefined, "a conversation that is closed has not failed");
  });
});

t.test("a server that is given up tells how long it has worked", async (t) => {
  const never = new ScriptedRemote();
  never.closed();
  const soon = new ScriptedRemote();
  soon.open();
  await delay(20);
  soon.closed();
  await settled();
  t.equal(never.failed?.openMs, 0);
  t.ok((soon.failed?.openMs ?? 0) >= 19);
});
