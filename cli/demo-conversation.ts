// `npm run demo:conversation`: a person of a script talks with an avatar for two minutes; the film and the transcript
// with every turn's latencies go into a folder.
import "./terminal/quiet-rtc.ts";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { ChatServer } from "./conversation/chat-server.ts";
import { openHostedConversation } from "./conversation/hosted-conversation.ts";
import { speakTexts } from "./conversation/person-voice.ts";
import { conversationTranscript } from "./demo/conversation-transcript.ts";
import { addDemoKnowledge } from "./demo/demo-knowledge.ts";
import { DOCUMENT, SYSTEM_PROMPT, scriptedAnswer, TURNS } from "./demo/demo-script.ts";
import { FilmRecorder } from "./demo/film-recorder.ts";
import { MixedAudio } from "./demo/mixed-audio.ts";
import { recordConversation } from "./demo/record-conversation.ts";
import { runDemo } from "./demo/run-demo.ts";
import { waitUntil } from "./service/wait-until.ts";
import { findFreePort } from "./start/processes/free-port.ts";
import type { Progress } from "./start/progress.ts";
import { Service } from "./start/service/service.ts";

interface ConversationFlags {
  out: string;
  json: boolean;
}

const FILM = "conversation.mp4";
const TRANSCRIPT = "conversation.md";
const FIRST_FRAME_TIMEOUT_MS = 60_000;
/** Of the model of the script, ms: about as a small model on a good machine. */
const FIRST_TOKEN_MS = 150;
const TOKEN_MS = 20;
/** Settings that would lead to servers or data of another service. */
const NOT_PASSED_ON = ["DATABASE_URL", "HOST", "PUBLIC_URL", "AVATAR_API_URL", "AVATAR_OPERATOR_SECRET"];

const program = new Command("npm run demo:conversation --")
  .description(
    "Records a conversation of two minutes with an avatar, in a service of its own. The model of OPENAI_BASE_URL answers; without one, a small script.",
  )
  .option("--out <folder>", "where the film and the transcript are written", "demo-conversation")
  .option("--json", "print one JSON object", false)
  .parse();

const flags = program.opts<ConversationFlags>();
const folder = resolve(flags.out);
await runDemo({
  isJson: flags.json,
  record: ({ progress, undo }) => record(folder, progress, undo),
  describe: () => `\n  ${folder}: ${FILM} and ${TRANSCRIPT}\n`,
  toJson: (turns) => ({ film: join(folder, FILM), transcript: join(folder, TRANSCRIPT), turns }),
});

async function record(folder: string, progress: Progress, undo: (() => Promise<void>)[]) {
  await mkdir(folder, { recursive: true });
  const spokenTexts = TURNS.map(({ text }) => text);
  const speech = await progress.step(
    "person",
    () => speakTexts(spokenTexts),
    (all) => `${all.length} sentences of the person`,
  );
  const ownModel = process.env.OPENAI_BASE_URL;
  const script = ownModel ? null : await startScript(undo);
  const llm = ownModel
    ? `Its language model is the one at ${new URL(ownModel).host}.`
    : "No language model was configured (OPENAI_BASE_URL): a small script of this demo has answered instead.";
  progress.note(llm);
  const service = new Service({ environment: await ownEnvironment(script?.baseUrl, undo), progress });
  undo.push(() => service.close());
  const { client, operator, demoAgentCode: agentCode } = await service.start();
  const { baseUrl } = client;
  const { secret: apiSecret } = operator;
  await progress.step(
    "document",
    () => addDemoKnowledge({ baseUrl, apiSecret, agentCode, systemPrompt: SYSTEM_PROMPT, document: DOCUMENT }),
    () => `${DOCUMENT.name} can be searched`,
  );
  const film = new FilmRecorder(join(folder, FILM));
  undo.push(() => film.abort());
  const audio = new MixedAudio((block) => film.addAudio(block));
  let beganAtMs: number | undefined;
  const conversation = await openHostedConversation(
    { client, apiSecret, agentCode },
    {
      onFrame(frame) {
        beganAtMs ??= frame.atMs;
        film.addFrame(frame);
      },
      onHeard: (block) => audio.addHeard(block),
      onSpoken: (samples) => audio.addSpoken(samples),
    },
  );
  undo.push(() => conversation.close());
  await waitUntil(() => beganAtMs !== undefined, "the first frame arrives", FIRST_FRAME_TIMEOUT_MS);
  const onTurn = ({ how, text }: { how: string; text: string }) => progress.note(`${how.padEnd(7)} ${text}`);
  const turns = await progress.step(
    "recording",
    () => recordConversation({ conversation, turns: TURNS, speech, beganAtMs: beganAtMs ?? 0, onTurn }),
    (all) => `${all.length} turns`,
  );
  await conversation.close();
  const { durationS } = await film.finish();
  progress.note(`the film lasts ${Math.round(durationS)} s`);
  await writeFile(join(folder, TRANSCRIPT), conversationTranscript({ film: FILM, llm, turns }));
  return turns;
}

async function startScript(undo: (() => Promise<void>)[]): Promise<ChatServer> {
  const script = await ChatServer.start({ answer: scriptedAnswer, firstTokenMs: FIRST_TOKEN_MS, tokenMs: TOKEN_MS });
  undo.push(() => script.close());
  return script;
}

/** Of a service with a data folder of its own, which is removed afterwards. */
async function ownEnvironment(script: string | undefined, undo: (() => Promise<void>)[]) {
  const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-demo-"));
  // PostgreSQL may have to run as another user, who must get in.
  await chmod(dataDir, 0o711);
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const inherited = Object.entries(process.env).filter(
    ([key]) => !NOT_PASSED_ON.includes(key) && !key.startsWith("LIVEKIT_"),
  );
  return {
    ...Object.fromEntries(inherited),
    ...(script !== undefined && { OPENAI_BASE_URL: script, OPENAI_MODEL: "script" }),
    AVATAR_DATA_DIR: dataDir,
    AVATAR_WORKER_PORT: "0",
    AVATAR_RELAY_PORT: "0",
    AVATAR_IDENTITY_CLIPS: "0",
    PORT: String(await findFreePort()),
  };
}
