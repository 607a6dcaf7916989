// Avatar sessions that speak without a pause, each with a viewer who decodes what arrives.
import type { JudgeCommands, SenderCommands } from "../../bench/clients/client-messages.ts";
import { ClientProcess } from "../../bench/clients/client-process.ts";
import type { ListenerMetrics } from "../../bench/clients/listener-metrics.ts";
import { makeSpeechFile, type SpeechFile } from "../../bench/clients/speech-file.ts";
import type { DrivenService } from "../../bench/service/own-service.ts";
import { AVATAR_IDENTITY, closeSession, type OpenedSession, openSession } from "../../bench/service/session-opener.ts";
import { waitUntilAsync } from "../../bench/service/wait-until-async.ts";

const SPEECH_S = 60;
const FIRST_FRAME_TIMEOUT_MS = 60_000;
/** Audio may still be on its way when its last chunk was sent. */
const LAST_AUDIO_MS = 1_000;

interface Watched {
  session: OpenedSession;
  judge: ClientProcess<JudgeCommands>;
}

export class StreamedSessions {
  readonly #service: DrivenService;
  readonly #speech: SpeechFile;
  readonly #senders: ClientProcess<SenderCommands>;
  readonly #watched: Watched[] = [];

  private constructor(service: DrivenService, speech: SpeechFile, senders: ClientProcess<SenderCommands>) {
    this.#service = service;
    this.#speech = speech;
    this.#senders = senders;
  }

  /** Opens `count` sessions and resolves when each shows frames. */
  static async open(service: DrivenService, count: number): Promise<StreamedSessions> {
    const speech = await makeSpeechFile(SPEECH_S);
    const senders = await ClientProcess.start<SenderCommands>("sender");
    const sessions = new StreamedSessions(service, speech, senders);
    try {
      await senders.call("load", { speechFile: speech.file });
      for (let number = 0; number < count; number++) await sessions.#add();
      return sessions;
    } catch (error) {
      await sessions.close();
      throw error;
    }
  }

  /** Processes that take part in the rooms and do not belong to the service. */
  get pids(): number[] {
    return [this.#senders.pid, ...this.#watched.map(({ judge }) => judge.pid)];
  }

  /** Speaks for `seconds` (at most 50) in all sessions. Resolves with what each viewer saw and heard meanwhile. */
  async speak(seconds: number): Promise<ListenerMetrics[]> {
    return Promise.all(this.#watched.map((watched, index) => this.#speakIn(watched, index, seconds)));
  }

  /** Idempotent. */
  async close(): Promise<void> {
    for (const { session } of this.#watched) {
      // The service may be gone.
      await closeSession(this.#service, session, this.#senders).catch(() => undefined);
    }
    await Promise.all([this.#senders.close(), ...this.#watched.map(({ judge }) => judge.close())]);
    await this.#speech.close();
  }

  async #speakIn({ session: { id }, judge }: Watched, index: number, seconds: number): Promise<ListenerMetrics> {
    const fromS = index * 5;
    await judge.call("begin", { id });
    const sentAtMs = await this.#senders.call("speak", { id, seconds, fromS });
    await new Promise((resolve) => setTimeout(resolve, LAST_AUDIO_MS));
    return judge.call("judge", { id, sentAtMs, speechFile: this.#speech.file, fromS });
  }

  async #add(): Promise<void> {
    const judge = await ClientProcess.start<JudgeCommands>("judge");
    const listener = {
      join: (asked: { id: string; url: string; token: string }) =>
        judge.call("join", { ...asked, avatarIdentity: AVATAR_IDENTITY }),
      leave: (id: string) => judge.call("leave", { id }),
    };
    const session = await openSession(this.#service, listener, this.#senders).catch(async (error) => {
      await judge.close();
      throw error;
    });
    this.#watched.push({ session, judge });
    const isShown = async () => (await judge.call("firstFrameAtMs", { id: session.id })) !== null;
    await waitUntilAsync(isShown, "the session shows a frame", FIRST_FRAME_TIMEOUT_MS);
  }
}
