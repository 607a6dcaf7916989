// A conversation with everything real but the language model: a person with a microphone in a room, speech recognition,
// the end-of-turn model, the voice, the api and its webhooks.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TrackPublishOptions, TrackSource } from "@livekit/rtc-node";
import t, { type Test } from "tap";
import { speakTexts } from "../../cli/conversation/person-voice.ts";
import { pidsWithin } from "../helpers/processes/pids-within.ts";
import { ColourCamera, describeImage, RED } from "../helpers/rooms/colour-camera.ts";
import {
  type ChatReply,
  type ChatRequest,
  type ChatServer,
  withChatServer,
} from "../helpers/servers/with-chat-server.ts";
import { type WebhookReceiver, withWebhookReceiver } from "../helpers/servers/with-webhook-receiver.ts";
import { callStack, visitAgent } from "../helpers/service/visit-agent.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only a test that hangs. */
const SLOW_MS = 500_000;
/** Turns in which a camera must be seen at last. */
const SHOWN_TURNS = 4;
const PARIS =
  "Paris is the capital of France, and it has been for many centuries. It lies on the river Seine. " +
  "Millions of people live there, and many more come to see it every year.";
const ROME = "The capital of Italy is Rome.";

/** What the model answers, by a word of the question. */
function reply({ body }: ChatRequest): ChatReply {
  const { content = "" } = body?.messages?.at(-1) ?? {};
  const question = typeof content === "string" ? content : String(content[0].text);
  if (/blind/i.test(question) && question !== content)
    return { status: 400, body: { error: "does not support images" } };
  if (/portugal/i.test(question)) return { status: 500, body: { error: { message: "out of order" } } };
  if (/spain/i.test(question)) return { status: 302, headers: { location: "http://169.254.169.254/v1" } };
  const words = (/france/i.test(question) ? PARIS : ROME).match(/\S+\s*/g) ?? [];
  const chunks = words.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
  return {
    headers: { "content-type": "text/event-stream" },
    body: [...chunks, "data: [DONE]\n\n"].map((chunk) => Buffer.from(chunk)),
  };
}

/** What the model was asked; the service also looks whether its server is there. */
const chats = ({ requests }: ChatServer) => requests.filter(({ path }) => path.endsWith("/chat/completions"));

interface KeptMessage {
  role: string;
  message: string;
  timestamp: string;
}

async function kept(stack: TestStack, userId: string, roomName: string) {
  const { data } = await callStack(stack, "GET", `/v2/${userId}/runtime-sessions`);
  const session = data.sessions.find((one: { room_name: string }) => one.room_name === roomName);
  const answer = await callStack(stack, "GET", `/v2/${userId}/runtime-sessions/${session.id}/messages`);
  return { id: session.id as string, messages: answer.data.messages as KeptMessage[] };
}

t.test("a person talks with an avatar", { timeout: SLOW_MS }, async (t) => {
  await withWebhookReceiver((receiver) =>
    withChatServer(reply, (model) =>
      withStack(
        async (stack) => {
          const stage = await openStage(stack, receiver, model);
          await t.test("it greets once the person can hear it", (t) => greetsThePerson(t, stage));
          await t.test("it answers a question, and lets the person cut in", (t) => letsThePersonCutIn(t, stage));
          await t.test("a hum does not end what it says", (t) => goesOnDuringAHum(t, stage));
          await t.test("a line is said word for word, context reaches the model", (t) => saysALine(t, stage));
          await t.test("a camera is shown to the model with each turn, and billed", (t) => showsACamera(t, stage));
          await t.test("a model that fails, or leads elsewhere, is answered with a fixed sentence", (t) =>
            answersForAFailedModel(t, stage),
          );
          await t.test("a recogniser that dies comes back, and the turn is not lost", () => replacesRecognition(stage));
          await t.test("a process that dies in the middle of an answer is followed by one that remembers", (t) =>
            goesOnAfterACrash(t, stage),
          );
          await t.test("a model that refuses images is asked without, and the avatar says so", (t) =>
            goesOnWithoutImages(t, stage),
          );
          await t.test("the webhook holds the same messages, each once, in order", (t) =>
            deliversEachMessageOnce(t, stage),
          );
        },
        { OPENAI_BASE_URL: model.baseUrl, OPENAI_MODEL: "test", AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" },
      ),
    ),
  );
});

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage(stack: TestStack, receiver: WebhookReceiver, model: ChatServer) {
  const [france, italy, hum] = await speakTexts([
    "What is the capital of France?",
    "What is the capital of Italy?",
    "Mhm.",
  ]);
  const { data: me } = await callStack(stack, "GET", "/v1/me");
  await callStack(stack, "PUT", `/v2/${me.user_id}/session-webhook`, { url: receiver.url });
  const { person, roomName } = await visitAgent(stack, "a".repeat(32));
  const finals = () => person.texts.filter(({ isFinal }) => isFinal).map(({ text }) => text);
  const isQuiet = () => person.state === "listening";
  /** Whether the avatar has begun to speak after so many of its states: a short answer may be over by now. */
  const hasSpoken = (after: number) => person.states.slice(after).some(({ state }) => state === "speaking");
  /** Waits for a text that is shown after those that were waited for before. */
  const until = async (text: RegExp) => {
    const at = () => person.texts.findIndex((one, index) => index >= seen && text.test(one.text));
    await waitFor(() => at() >= 0, String(text)).catch((error: Error) => {
      throw new Error(`${error.message}; shown: ${JSON.stringify(person.texts.slice(seen))}`);
    });
    seen = at() + 1;
  };
  let seen = 0;

  /** What the avatar says that it sees. */
  const view = () => [...person.room.remoteParticipants.values()][0]?.attributes.avatar_camera;
  /** What the model is given as the user's last message, one for each request. */
  const ask = async (question: string) => {
    const [asked, shown] = [chats(model).length, person.texts.length];
    await person.type(question);
    await waitFor(() => chats(model).length > asked, "the model is asked");
    // The words tell: "speaking" is skipped if it is over before LiveKit has confirmed the state before.
    await waitFor(() => person.texts.length > shown, "it answers");
    await waitFor(isQuiet, "the answer is over");
    return chats(model)
      .slice(asked)
      .map(({ body }) => body.messages.at(-1).content);
  };
  /** As `ask`, until the model was shown an image: on a busy machine the first may come late for a turn. */
  const show = async (question: string) => {
    for (let attempt = 1; ; attempt++) {
      const contents = await ask(question);
      if (attempt === SHOWN_TURNS || contents.some((content) => Array.isArray(content))) return contents;
    }
  };
  const withCamera = async (work: () => Promise<void>) => {
    const camera = new ColourCamera(RED);
    const you = person.room.localParticipant;
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_CAMERA });
    const published = await you?.publishTrack(camera.track, options);
    await waitFor(() => view() === "watched", "the avatar says that it sees");
    try {
      await work();
    } finally {
      if (published?.sid) await you?.unpublishTrack(published.sid);
      await camera.close();
    }
  };
  return {
    france,
    italy,
    hum,
    stack,
    receiver,
    model,
    me,
    person,
    roomName,
    finals,
    isQuiet,
    hasSpoken,
    until,
    view,
    ask,
    show,
    withCamera,
  };
}

async function greetsThePerson(t: Test, { model, isQuiet, until }: Stage): Promise<void> {
  await until(/Mona Lisa/);
  await waitFor(isQuiet, "the greeting is over");
  t.equal(chats(model).filter(({ body }) => body?.stream).length, 0, "without the model");
}

async function letsThePersonCutIn(
  t: Test,
  { france, italy, stack, model, me, person, roomName, isQuiet, until }: Stage,
): Promise<void> {
  const { endMs } = await person.say(france);
  await until(/capital of France/);
  await until(/^Paris is the capital/);
  await waitFor(() => person.soundSince(endMs).length > 0, "it is heard");
  t.ok(person.states.some(({ state }) => state === "thinking"));
  await until(/^and it has been/);
  await person.say(italy);
  await until(/capital of Italy is Rome/);
  await waitFor(isQuiet, "the answer is over");
  const messages = await waitFor(async () => {
    const { messages: some } = await kept(stack, me.user_id, roomName);
    return some.length >= 5 && some;
  }, "all messages are kept");
  t.same(
    messages.map(({ role }) => role),
    ["assistant", "user", "assistant", "user", "assistant"],
  );
  t.match(messages[1].message, /capital of France/);
  const cut = messages[2].message;
  t.ok(PARIS.startsWith(cut) && cut.length < PARIS.length, `only what was heard: ${cut}`);
  t.equal(messages[4].message, ROME);
  const request = chats(model).at(-1);
  t.equal(request?.body.messages.at(-2).content, cut, "and the model knows only that");
  t.match(request?.headers, { "x-livekit-room-id": /^RM_/, "x-livekit-job-id": /^AJ_/ });
  t.equal(request?.body.user, "a".repeat(32));
}

async function goesOnDuringAHum(
  t: Test,
  { hum, stack, me, person, roomName, finals, hasSpoken }: Stage,
): Promise<void> {
  const before = person.states.length;
  await person.type("Tell me more of France.");
  await waitFor(() => hasSpoken(before), "it speaks");
  await person.say(hum);
  await waitFor(
    async () => (await kept(stack, me.user_id, roomName)).messages.at(-1)?.message === PARIS,
    "all is said",
  );
  t.ok(finals().includes("Tell me more of France.") === false, "typed text is not transcribed");
}

async function saysALine(t: Test, { stack, model, person, roomName, isQuiet, hasSpoken, until }: Stage): Promise<void> {
  const speak = await callStack(stack, "POST", `/v1/agent/${stack.agentCode}/speak`, {
    message: "We close at six.",
  });
  t.match(speak, { httpStatus: 200, delivered_to_rooms: 1, rooms: [roomName] });
  await until(/We close at six/);
  await waitFor(isQuiet, "it is said");
  const context = { context: "The person is called Ada." };
  const added = await callStack(stack, "POST", `/v1/agent/${stack.agentCode}/add-context`, context);
  t.match(added, { httpStatus: 200, context_type: "add_context", delivered_to_rooms: 1 });
  const [asked, before] = [chats(model).length, person.states.length];
  await person.type("What is the capital of Italy?");
  await waitFor(() => chats(model).length > asked, "the model is asked");
  t.match(chats(model).at(-1)?.body.messages[0], { role: "system", content: /called Ada/ });
  await waitFor(() => hasSpoken(before) && isQuiet(), "the answer is over");
}

async function showsACamera(t: Test, { stack, view, ask, show, withCamera }: Stage): Promise<void> {
  await withCamera(async () => {
    const [content] = await show("What do you see?");
    const [, jpeg] = /^data:image\/jpeg;base64,(.+)$/.exec(content[1].image_url.url) ?? [];
    t.match(await describeImage(Buffer.from(jpeg, "base64")), /^red/);
    await waitFor(async () => {
      const { data } = await callStack(stack, "GET", "/v1/usage");
      return data.some((row: { pricing_code: string }) => row.pricing_code === "usage_camera_chat");
    }, "the camera line counts");
  });
  await waitFor(() => view() === "off", "the avatar says that it sees nothing");
  t.same(await ask("What do you see now?"), ["What do you see now?"]);
}

async function answersForAFailedModel(t: Test, { stack, me, person, roomName }: Stage): Promise<void> {
  for (const land of ["Portugal", "Spain"]) {
    const question = `What is the capital of ${land}?`;
    await person.type(question);
    const answer = await waitFor(async () => {
      const { messages } = await kept(stack, me.user_id, roomName);
      const at = messages.findIndex(({ message }) => message === question);
      return at >= 0 && messages[at + 1];
    }, `an answer about ${land}`);
    t.match(answer.message, /can't answer right now/);
  }
}

async function replacesRecognition({ italy, stack, model, person, isQuiet, hasSpoken }: Stage): Promise<void> {
  const [recogniser] = await pidsWithin(stack.workerPid, "recognition-process");
  const [asked, before] = [chats(model).length, person.states.length];
  const saying = person.say(italy);
  process.kill(recogniser, "SIGKILL");
  await saying;
  await waitFor(() => chats(model).length > asked, "the turn is answered");
  await waitFor(() => hasSpoken(before) && isQuiet(), "the answer is over");
}

async function goesOnAfterACrash(
  t: Test,
  { stack, model, me, person, roomName, isQuiet, until }: Stage,
): Promise<void> {
  await person.type("What is the capital of France?");
  await until(/^It lies on/);
  const { id } = await kept(stack, me.user_id, roomName);
  const pid = await sessionProcess(stack, id);
  const shown = person.texts.length;
  process.kill(pid, "SIGKILL");
  await waitFor(async () => (await sessionProcess(stack, id)) !== pid, "another process runs it");
  await waitFor(() => person.room.remoteParticipants.size === 1 && isQuiet(), "it is back");
  await waitFor(async () => {
    const { messages } = await kept(stack, me.user_id, roomName);
    return /^Paris is the capital of France.*centuries/.test(messages.at(-1)?.message ?? "");
  }, "what was heard of the answer is kept");
  const asked = chats(model).length;
  await person.type("What is the capital of Italy?");
  await waitFor(() => chats(model).length > asked, "the model is asked");
  const told: { content: string }[] = chats(model).at(-1)?.body.messages;
  t.ok(
    told.some(({ content }) => /We close at six/.test(content)),
    "it remembers what was said",
  );
  t.match(told.at(-2)?.content, /^Paris is the capital of France/, "and what was heard of the answer");
  await until(/capital of Italy is Rome/);
  await waitFor(isQuiet, "the answer is over");
  t.notOk(
    person.texts.slice(shown).some(({ text }) => /Mona Lisa/.test(text)),
    "without a greeting",
  );
}

async function goesOnWithoutImages(t: Test, { view, ask, show, withCamera }: Stage): Promise<void> {
  await withCamera(async () => {
    const [shown, told] = await show("Are you blind?");
    t.ok(Array.isArray(shown));
    t.equal(told, "Are you blind?");
    await waitFor(() => view() === "unseen", "the avatar says that it does not see");
    t.same(await ask("Still blind?"), ["Still blind?"], "the refusal is remembered");
  });
}

async function deliversEachMessageOnce(t: Test, { stack, receiver, me, person, roomName }: Stage): Promise<void> {
  await person.close();
  const pushed = () => receiver.received.filter(({ body }) => body.event_type === "chat.push");
  const messages = await waitFor(async () => {
    const { messages: all } = await kept(stack, me.user_id, roomName);
    return pushed().length === all.length && all;
  }, "all are delivered");
  t.same(
    pushed().map(({ body }) => `${body.data.role}: ${body.data.message}`),
    messages.map(({ role, message }) => `${role}: ${message}`),
  );
  const joins = receiver.received.filter(({ body }) => body.event_type === "room.join");
  t.equal(joins.length, 1);
  t.match(joins[0].body.data, { room_name: roomName, participant_count: 2 });
}

/** The process that runs a session, by the worker's log. */
async function sessionProcess({ dataDir }: TestStack, sessionId: string): Promise<number> {
  const lines = (await readFile(join(dataDir, "logs", "worker.log"), "utf8")).split("\n");
  // The last line may still be on its way into the file.
  const entries = lines.slice(0, -1).filter((line) => line.includes(sessionId) && line.includes("runBy"));
  return JSON.parse(entries.at(-1) ?? "{}").runBy;
}
