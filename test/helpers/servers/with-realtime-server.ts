// The worker's realtime server with the real speech recognition, end-of-turn model and voice, and a model server of the
// test.

import { AccountBudgets } from "../../../agent-worker/realtime/account-budgets.ts";
import { openRealtimeSession } from "../../../agent-worker/realtime/open-realtime-session.ts";
import { REALTIME_PATH, RealtimeServer } from "../../../agent-worker/realtime/realtime-server.ts";
import { ConversationServices } from "../../../agent-worker/tasks/conversation-services.ts";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { type LiveKitKey, mintRealtimeToken, verifyRealtimeToken } from "../../../shared/worker-token.ts";
import type { TurnTimes } from "../../../src/conversation/turns/conversation-listener.ts";
import { EspeakSynthesizer } from "../../../src/speech/voice/espeak-synthesizer.ts";
import { NeuralSynthesizer } from "../../../src/speech/voice/neural/neural-synthesizer.ts";
import { WIRE_FORMS } from "./chat-wire-forms.ts";
import { type ChatReply, type ChatRequest, type ChatServer, withChatServer } from "./with-chat-server.ts";

const LIVEKIT = { apiKey: "devkey", apiSecret: "a-secret-of-at-least-32-characters!!" };
/** Id of the worker that the server's tokens are bound to. */
export const REALTIME_WORKER = "00000000-0000-4000-8000-000000000001";
const [{ words }] = WIRE_FORMS;

export interface RealtimeServerTest {
  server: RealtimeServer;
  /** `ws://127.0.0.1:…/v1/realtime` */
  url: string;
  /** `http://127.0.0.1:…/v1` */
  baseUrl: string;
  token: string;
  chat: ChatServer;
  turns: TurnTimes[];
}

export interface WithRealtimeServerOptions {
  /** Default: formant, which loads at once. */
  voice?: "neural" | "formant";
  /** Default: any number. */
  mostSessions?: number;
  /** Default: no limit. */
  mostTranscriptions?: number;
  /** Tokens that are taken. Default: keys of the test's own. */
  livekit?: LiveKitKey;
  pingMs?: number;
  /** False: no language model. */
  hasLlm?: boolean;
  reply?(request: ChatRequest, count: number): ChatReply;
}

export async function withRealtimeServer(
  {
    voice = "formant",
    mostSessions = 1_000,
    hasLlm = true,
    livekit = LIVEKIT,
    mostTranscriptions,
    pingMs,
    reply,
  }: WithRealtimeServerOptions,
  work: (test: RealtimeServerTest) => Promise<void>,
): Promise<void> {
  const logger = createLogger({ level: "fatal", name: "test" });
  await withChatServer(reply ?? (() => ({ body: words(["It ", "works."]) })), async (chat) => {
    const find = async () => (hasLlm ? { baseUrl: chat.baseUrl, model: "m" } : null);
    const services = new ConversationServices({ llm: { find, findAgain: find }, logger });
    const formants = new EspeakSynthesizer();
    const neural = new NeuralSynthesizer();
    const turns: TurnTimes[] = [];
    const budgets = new AccountBudgets();
    const address = () => ({ workerId: REALTIME_WORKER, url: `ws://127.0.0.1:${port}${REALTIME_PATH}` });
    let port = 0;
    const server = new RealtimeServer({
      host: "127.0.0.1",
      port: 0,
      pingMs,
      isAuthorized: (header) => verifyRealtimeToken(header, livekit, address()),
      mostTranscriptions,
      hasCapacity: (held) => held < mostSessions,
      prepare: (request) =>
        openRealtimeSession({
          request,
          config: parseConfig({ AVATAR_VOICE: voice, AVATAR_DATA_DIR: "/nonexistent" }),
          services,
          voices: {
            speak: (task, owner) => formants.speak(task, owner),
            makePiece: (task, owner) => {
              if ("folder" in task) throw new Error("no voice was fetched");
              return neural.speak(task, owner);
            },
            warmUp: (engine) => (engine === "neural" ? neural : formants).warmUp(),
          },
          budgets,
          onEvent: (event) => event.type === "turn" && turns.push(event.times),
          logger,
        }),
      logger,
    });
    port = await server.start();
    try {
      await work({
        server,
        url: address().url,
        baseUrl: `http://127.0.0.1:${port}/v1`,
        token: await mintRealtimeToken(livekit, address()),
        chat,
        turns,
      });
    } finally {
      await server.close();
      await Promise.all([services.close(), formants.close(), neural.close()]);
    }
  });
}
