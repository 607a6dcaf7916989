// Where conversations are measured: a service of its own, model servers with known delays, and persons of a script.
import { setTimeout as delay } from "node:timers/promises";
import { ChatServer } from "../../../cli/conversation/chat-server.ts";
import {
  type HostedConversation,
  type HostedConversationOptions,
  openHostedConversation,
} from "../../../cli/conversation/hosted-conversation.ts";
import type { ScriptedPerson } from "../../../cli/conversation/scripted-person.ts";
import { waitUntil } from "../../../cli/service/wait-until.ts";
import { findServiceProcesses, type ServiceProcesses } from "../service/find-service-processes.ts";
import { type DrivenService, startOwnService } from "../service/own-service.ts";
import { findSessionPids } from "../service/session-pids.ts";
import { SpeechServer } from "./speech-server.ts";

export interface StageOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** `remote`: answers are spoken by a server of this benchmark; `built-in`: by the service itself. */
  voice: "remote" | "built-in";
  /** Folder of the checkout to start. Default: this one. */
  checkout?: string;
  report(line: string): void;
  onClose(undo: () => Promise<void>): void;
}

/** Delays of the servers, ms: a fast hosted model, a fast streamed voice. */
export const FIRST_TOKEN_MS = 200;
const FIRST_AUDIO_MS = 100;
const TOKEN_MS = 15;
const GREETING_TIMEOUT_MS = 60_000;
/** The avatar says nothing more after this silence, ms. Longer than the pause between two sentences. */
const QUIET_MS = 900;
const QUIET_TIMEOUT_MS = 90_000;

export class ConversationStage {
  readonly service: DrivenService;
  readonly chat: ChatServer;
  /** Null with the built-in voice. */
  readonly speech: SpeechServer | null;

  private constructor(service: DrivenService, chat: ChatServer, speech: SpeechServer | null) {
    this.service = service;
    this.chat = chat;
    this.speech = speech;
  }

  /** Starts everything. Throws Error if the service does not start. */
  static async start({ environment, voice, checkout, report, onClose }: StageOptions): Promise<ConversationStage> {
    const chat = await ChatServer.start({ answer: () => "Yes.", firstTokenMs: FIRST_TOKEN_MS, tokenMs: TOKEN_MS });
    onClose(() => chat.close());
    const speech = voice === "remote" ? await SpeechServer.start(FIRST_AUDIO_MS) : null;
    if (speech) onClose(() => speech.close());
    const service = await startOwnService({
      environment: {
        ...environment,
        OPENAI_BASE_URL: chat.baseUrl,
        OPENAI_MODEL: "bench",
        AVATAR_VOICE: speech ? "remote" : "neural",
        ...(speech && { AVATAR_VOICE_URL: speech.baseUrl }),
        AVATAR_IDENTITY_CLIPS: "0",
        AVATAR_REBAKE: "0",
        AVATAR_LOG_LEVEL: "info",
        // The receiver of webhooks is on this machine.
        AVATAR_ALLOW_PRIVATE_ADDRESSES: "1",
      },
      checkout,
      report,
    });
    onClose(() => service.close());
    return new ConversationStage(service, chat, speech);
  }

  /** Opens a conversation and waits until its greeting was said. */
  async open(options: HostedConversationOptions = {}): Promise<HostedConversation> {
    const conversation = await openHostedConversation(this.service, options);
    const { person } = conversation;
    try {
      await waitUntil(() => person.lastSoundMs !== undefined, "the greeting is heard", GREETING_TIMEOUT_MS);
      await this.untilQuiet(person);
    } catch (error) {
      await conversation.close();
      throw error;
    }
    return conversation;
  }

  /** Waits until the avatar says nothing, and does not think about it. */
  async untilQuiet(person: ScriptedPerson, quietMs = QUIET_MS): Promise<void> {
    const isQuiet = () => person.state === "listening" && performance.now() - (person.lastSoundMs ?? 0) > quietMs;
    await waitUntil(isQuiet, "the avatar is silent", QUIET_TIMEOUT_MS);
  }

  /** Waits until the avatar has been heard since `sinceMs`, and returns when, ms. Throws Error after `timeoutMs`. */
  async untilHeard(person: ScriptedPerson, sinceMs: number, timeoutMs = 20_000): Promise<number> {
    await waitUntil(() => (person.lastSoundMs ?? 0) >= sinceMs, "an answer is heard", timeoutMs);
    return person.soundSince(sinceMs)[0].atMs;
  }

  /** `strangers`: helpers that are connected to the LiveKit server, besides this process. */
  processes(strangers: readonly number[] = []): Promise<ServiceProcesses> {
    const { client, livekit } = this.service;
    return findServiceProcesses({ apiUrl: client.baseUrl, livekitUrl: livekit.url }, [process.pid, ...strangers]);
  }

  /** Ids of the processes that hold an avatar session. */
  async sessionPids(): Promise<number[]> {
    return findSessionPids(this.service.livekit.url, await this.processes());
  }

  /** Lets the worker make its next session process ready. */
  async settle(): Promise<void> {
    await delay(3_000);
  }

  async close(): Promise<void> {
    await this.service.close();
    await Promise.all([this.chat.close(), this.speech?.close()]);
  }
}
