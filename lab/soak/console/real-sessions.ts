// Real avatar sessions beside an open console: some stream video, the others send audio alone and are rendered by their
// viewers. All speak now and then.
import type { JudgeCommands, SenderCommands } from "../../bench/clients/client-messages.ts";
import { ClientProcess } from "../../bench/clients/client-process.ts";
import { makeSpeechFile, type SpeechFile } from "../../bench/clients/speech-file.ts";
import type { DrivenService } from "../../bench/service/own-service.ts";
import {
  AVATAR_IDENTITY,
  closeSession,
  type OpenedSession,
  openLocalSession,
  openSession,
} from "../../bench/service/session-opener.ts";
import { waitUntilAsync } from "../../bench/service/wait-until-async.ts";

const SPEECH_S = 20;
const REPLY_S = 5;
const FIRST_FRAME_TIMEOUT_MS = 180_000;

export class RealSessions {
  readonly #service: DrivenService;
  readonly #speech: SpeechFile;
  readonly #senders: ClientProcess<SenderCommands>;
  readonly #judge: ClientProcess<JudgeCommands>;
  readonly #opened: OpenedSession[] = [];
  readonly #silent = new Set<string>();
  #turn = 0;

  private constructor(
    service: DrivenService,
    speech: SpeechFile,
    senders: ClientProcess<SenderCommands>,
    judge: ClientProcess<JudgeCommands>,
  ) {
    this.#service = service;
    this.#speech = speech;
    this.#senders = senders;
    this.#judge = judge;
  }

  /** Resolves when the streamed ones show frames. Throws Error if one cannot be opened. */
  static async open(service: DrivenService, streamed: number, audioOnly: number): Promise<RealSessions> {
    const sessions = new RealSessions(
      service,
      await makeSpeechFile(SPEECH_S),
      await ClientProcess.start<SenderCommands>("sender"),
      await ClientProcess.start<JudgeCommands>("judge"),
    );
    try {
      await service.client.allowLocalRendering(service.agentCode);
      await sessions.#senders.call("load", { speechFile: sessions.#speech.file });
      for (let number = 0; number < streamed + audioOnly; number++) await sessions.#add(number < streamed);
      return sessions;
    } catch (error) {
      await sessions.close();
      throw error;
    }
  }

  /** Processes that take part in the rooms and do not belong to the service. */
  get pids(): number[] {
    return [this.#senders.pid, this.#judge.pid];
  }

  /** The next of them speaks for five seconds. Throws Error if it can't; it isn't asked again then. */
  async speak(): Promise<void> {
    const speaking = this.#opened.filter(({ id }) => !this.#silent.has(id));
    if (speaking.length === 0) return;
    const { id } = speaking[this.#turn++ % speaking.length];
    try {
      await this.#senders.call("sendAhead", { id, seconds: REPLY_S, fromS: 0 });
    } catch (error) {
      this.#silent.add(id);
      throw error;
    }
  }

  /** Their ids at the service. */
  get ids(): string[] {
    return this.#opened.map(({ sessionId }) => sessionId);
  }

  async close(): Promise<void> {
    // The service may be gone.
    for (const session of this.#opened) {
      await closeSession(this.#service, session, this.#senders).catch(() => undefined);
    }
    await Promise.all([this.#senders.close(), this.#judge.close(), this.#speech.close()]);
  }

  async #add(isStreamed: boolean): Promise<void> {
    const listener = {
      join: (asked: { id: string; url: string; token: string; needs?: "motion" | "nothing" }) =>
        this.#judge.call("join", { ...asked, avatarIdentity: AVATAR_IDENTITY }),
      leave: (id: string) => this.#judge.call("leave", { id }),
    };
    const open = isStreamed ? openSession : openLocalSession;
    const session = await open(this.#service, listener, this.#senders);
    this.#opened.push(session);
    if (!isStreamed) return;
    const isShown = async () => (await this.#judge.call("firstFrameAtMs", { id: session.id })) !== null;
    await waitUntilAsync(isShown, "the session shows a frame", FIRST_FRAME_TIMEOUT_MS);
  }
}
