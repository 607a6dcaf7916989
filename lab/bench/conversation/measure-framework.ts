// The same turns with LiveKit's agent framework and its defaults in the avatar's place: the framework hears, decides
// and answers, and sends its speech as a byte stream to an avatar of ours in a caller's room. Same recogniser, same
// servers of language model and voice.
import { setTimeout as delay } from "node:timers/promises";
import { inference, initializeLogger, voice } from "@livekit/agents";
import { Room } from "@livekit/rtc-node";
import { pino } from "pino";
import { z } from "zod";
import { TurnEnds } from "../../../agent-worker/listening/turn-ends.ts";
import { ScriptedPerson } from "../../../cli/conversation/scripted-person.ts";
import { waitUntil } from "../../../cli/service/wait-until.ts";
import { SpeechRecogniser } from "../../../src/speech/recognition/speech-recogniser.ts";
import { AVATAR_IDENTITY, mintToken } from "../service/session-opener.ts";
import type { ConversationStage } from "./conversation-stage.ts";
import { ServerLlm, ServerStt, ServerTts } from "./framework-models.ts";
import { type AnswerMetrics, measureAnswers, type Spread, spreadOf } from "./measure-answers.ts";

export interface FrameworkMetrics {
  turns: number;
  /** Turns that the framework has not answered: it cuts utterances without a lead, and short ones may lose their
   *  words. */
  unanswered: number;
  /** From the end of speech to the first sound, ms: the framework's and ours. */
  framework_ms: Spread | null;
  own_ms: Spread | null;
  /** Our median by the framework's; null if one is missing. */
  times_framework: number | null;
}

const PERSON = "person";
const AGENT = "framework-agent";
const ANSWER_TIMEOUT_MS = 20_000;
const LIVE_TIMEOUT_MS = 30_000;
const QUIET_MS = 1_200;
const QUIET_TIMEOUT_MS = 60_000;
/** Until tracks are subscribed. */
const SETTLE_MS = 3_000;

const inferenceSchema = z.object({ pcm: z.string() });

/** `own`: metrics of this run; measured first if they are missing. */
export async function measureFramework(
  stage: ConversationStage,
  questions: readonly Int16Array[],
  turns: number,
  own?: AnswerMetrics,
): Promise<FrameworkMetrics> {
  const { answer_ms: ownMs } = own ?? (await measureAnswers(stage, questions, turns));
  const roomName = `framework-${Date.now()}`;
  const { service } = stage;
  const { url } = service.livekit;
  const person = new ScriptedPerson({ livekitUrl: url, token: await mintToken(service, roomName, PERSON) });
  await person.join();
  const undo: (() => Promise<unknown>)[] = [() => person.close()];
  try {
    undo.push(await startAgent(stage, roomName));
    await delay(SETTLE_MS);
    const times: number[] = [];
    let unanswered = 0;
    // The first turn loads what the later ones need.
    for (let index = -1; index < turns; index++) {
      const { endMs } = await person.say(questions[(index + 1) % questions.length]);
      const atMs = await stage.untilHeard(person, endMs, ANSWER_TIMEOUT_MS).catch(() => undefined);
      const isQuiet = () => performance.now() - (person.lastSoundMs ?? 0) > QUIET_MS;
      await waitUntil(isQuiet, "the avatar is silent", QUIET_TIMEOUT_MS);
      if (index < 0) continue;
      if (atMs === undefined) unanswered += 1;
      else times.push(atMs - endMs);
    }
    const framework = spreadOf(times);
    const ratio = framework && ownMs ? Math.round((ownMs.p50 / framework.p50) * 100) / 100 : null;
    return { turns: times.length, unanswered, framework_ms: framework, own_ms: ownMs, times_framework: ratio };
  } finally {
    for (const step of undo.reverse()) await step().catch(() => undefined); // What has failed is told already.
  }
}

/** Starts an agent with an avatar in the room. The returned function ends both. */
async function startAgent(
  { service, chat, speech }: ConversationStage,
  roomName: string,
): Promise<() => Promise<void>> {
  if (!speech) throw new Error("the framework needs the voice server");
  initializeLogger({ pretty: false, level: "silent" });
  const logger = pino({ level: "silent" });
  const stt = new SpeechRecogniser({ log: logger });
  const turnEnds = new TurnEnds({ log: logger });
  const executor = {
    async doInference(_method: string, data: unknown) {
      const bytes = Buffer.from(inferenceSchema.parse(data).pcm, "base64");
      const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
      return { probability: await turnEnds.predict(samples) };
    },
  };
  turnEnds.warmUp();
  stt.warmUp();
  const { url } = service.livekit;
  const room = new Room();
  await room.connect(url, await mintToken(service, roomName, AGENT, AGENT), { autoSubscribe: true, dynacast: false });
  const sessionId = await service.client.launch({
    agentCode: service.agentCode,
    livekitUrl: url,
    livekitToken: await mintToken(service, roomName, AVATAR_IDENTITY, AGENT),
    roomName,
  });
  await service.client.waitUntilLive(sessionId, LIVE_TIMEOUT_MS);
  const session = new voice.AgentSession({
    stt: new ServerStt({ transcribe: (samples, options) => stt.transcribe(samples, options) }),
    llm: new ServerLlm(chat.baseUrl),
    tts: new ServerTts(speech.baseUrl),
    // The framework's default, with its model run as the framework's worker would.
    turnHandling: { turnDetection: new inference.TurnDetector({ version: "v1-mini", executor }) },
  });
  session.output.audio = new voice.DataStreamAudioOutput({ room, destinationIdentity: AVATAR_IDENTITY });
  await session.start({
    agent: new voice.Agent({ instructions: "Answer in one sentence." }),
    room,
    inputOptions: { participantIdentity: PERSON },
    outputOptions: { audioEnabled: false },
    record: false,
  });
  return async () => {
    await session.close();
    await service.client.endAvatarSession(sessionId);
    await room.disconnect();
    await Promise.all([stt.close(), turnEnds.close()]);
  };
}
