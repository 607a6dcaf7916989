// A conversation without a language model, in a room: documents answer, a model that is started answers the next turns,
// and when it is gone documents answer again.
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { speakTexts } from "../../cli/conversation/person-voice.ts";
import { PERSON_RATE_HZ, type ScriptedPerson } from "../../cli/conversation/scripted-person.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { type ChatReply, type ChatRequest, withChatServer } from "../helpers/servers/with-chat-server.ts";
import { checkShape } from "../helpers/service/check-shape.ts";
import { callStack, type Visit, visitAgent } from "../helpers/service/visit-agent.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const AVATAR = fileURLToPath(new URL("../../cli/avatar.mjs", import.meta.url));
const SLOW_MS = 400_000;
const MODEL = "talker-8b";
const EVENTS = ["Rome, says ", "the model."].map(
  (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
);

t.test("documents answer until a language model does, and when it has gone", { timeout: SLOW_MS }, async (t) => {
  let isThere = false;
  const reply = ({ path }: ChatRequest): ChatReply => {
    if (!isThere) return { status: 503, body: {} };
    if (path.endsWith("/models")) return { body: { object: "list", data: [{ id: MODEL }] } };
    return { headers: { "content-type": "text/event-stream" }, body: [...EVENTS, "data: [DONE]\n\n"].join("") };
  };
  await withChatServer(reply, (model) =>
    withStack(
      async (stack) => {
        const visit = await visitAgent(stack, "a".repeat(32));
        const { person } = visit;
        const attributes = () => [...person.room.remoteParticipants.values()][0]?.attributes ?? {};
        const source = () => [attributes().avatar_mind, attributes().avatar_found_model];
        await waitFor(() => person.texts.some(({ text }) => text.includes("?")), "the greeting's last sentence");

        t.match(await ask(person, "Do I need a GPU?"), /^My language model does not answer now.*No GPU is needed\./);
        await waitFor(() => source()[0] === "documents", "the page is told");
        t.match(await ask(person, "What does it cost?"), /^Nothing\. It is open source/, "without an excuse");
        t.match(await ask(person, "Who won the world cup?"), /^I don't know that\./);
        t.match(await ask(person, "Thank you!"), /^You're welcome\.$/);

        isThere = true;
        await waitFor(() => source()[0] === "model", "it is noticed");
        t.equal(source()[1], MODEL);
        t.equal(await ask(person, "What is the capital of Italy?"), "Rome, says the model.");

        isThere = false;
        t.match(await ask(person, "Is it free?"), /^My language model does not answer now/);
        await waitFor(() => source().join() === "documents,", "the page is told");
        await saysALine(t, stack, visit);
        await person.close();
        await talksInATerminal(t, stack);
      },
      { OPENAI_BASE_URL: model.baseUrl },
    ),
  );
});

/** What the avatar answers. */
async function ask(person: ScriptedPerson, question: string): Promise<string> {
  await waitFor(() => person.state === "listening", "it listens");
  const before = person.texts.length;
  await person.type(question);
  return await saidAfter(person, before);
}

async function saidAfter(person: ScriptedPerson, before: number): Promise<string> {
  const finals = () => person.texts.slice(before).filter(({ isFinal }) => isFinal);
  await waitFor(() => finals().length > 0 && person.state === "listening", "an answer", 60_000).catch(
    (error: Error) => {
      throw new Error(`${error.message}; ${person.state}, shown: ${JSON.stringify(person.texts.slice(before))}`);
    },
  );
  return finals()
    .map(({ text }) => text)
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** A line that the visitor lets the avatar say is in the transcript as the visitor's wish. */
async function saysALine(t: Test, stack: TestStack, { person, embedToken }: Visit): Promise<void> {
  const before = person.texts.length;
  const response = await fetch(`${stack.baseUrl}/embed/say`, {
    method: "POST",
    headers: { authorization: `Bearer ${embedToken}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "Welcome, everyone.", mode: "say" }),
  });
  t.equal(response.status, 200);
  t.equal(await saidAfter(person, before), "Welcome, everyone.");
  const { data: me } = await callStack(stack, "GET", "/v1/me");
  const { data } = await callStack(stack, "GET", `/v2/${me.user_id}/runtime-sessions`);
  const kept = async () => {
    const answer = await callStack(stack, "GET", `/v2/${me.user_id}/runtime-sessions/${data.sessions[0].id}/messages`);
    return answer.data.messages.map(({ role, message }: { role: string; message: string }) => `${role}: ${message}`);
  };
  await waitFor(async () => (await kept()).at(-1) === "assistant: Welcome, everyone.", "the transcript");
  t.equal((await kept()).at(-2), "user: Say this: Welcome, everyone.");
}

/** `avatar talk`: typed lines from a pipe, and a recording. */
async function talksInATerminal(t: Test, stack: TestStack): Promise<void> {
  const { baseUrl, apiSecret, agentCode } = stack;
  const environment = { ...process.env, AVATAR_API_URL: baseUrl, AVATAR_API_SECRET: apiSecret };
  const talk = async (words: string[], input: string) => {
    const child = spawn(process.execPath, [AVATAR, "talk", agentCode, ...words], { env: environment });
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: child.exitCode, stdout, stderr };
  };
  const typed = await talk([], "Do I need a GPU?\n\nThank you!\n");
  t.match(typed.stdout, /^You: Do I need a GPU\?\n(.+: .+\n)*.+: No GPU is needed\.\n(.+: .+\n)*You: Thank you!\n/);
  t.match(typed.stdout, /\n.+: You're welcome\.\n$/);
  t.equal(typed.stderr, "");

  const [samples] = await speakTexts(["Do I need a graphics card?"]);
  const recording = join(t.testdir(), "question.wav");
  await writeFile(recording, writeWav({ samples, sampleRateHz: PERSON_RATE_HZ }));
  const spoken = await talk(["--audio", recording, "--json"], "");
  t.equal(spoken.stderr, "");
  checkShape(["talk", "--json"], spoken);
  const { messages, session_id } = JSON.parse(spoken.stdout);
  t.match(messages, [{ role: "user" }, { role: "assistant" }]);
  const session = await callStack(stack, "GET", `/v1/runtime-sessions/${session_id}`);
  t.equal(session.status, "ended", "the session ends with the conversation");
}
