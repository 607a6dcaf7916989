// Tasks that the worker performs for a session: a task goes to the worker, its result comes back.
import { EngineError, type EngineErrorCode } from "../../shared/engine-error.ts";
import type { LlmSettings } from "../../src/conversation/llm/request-chat.ts";
import type { Transcription } from "../../src/speech/recognition/transcription-client.ts";
import type { SentenceTask, SpokenSamples } from "../../src/speech/voice/espeak-messages.ts";
import type { FetchedTask } from "../../src/speech/voice/fetched/fetched-messages.ts";
import type { PieceAudio, PieceTask } from "../../src/speech/voice/neural/neural-messages.ts";
import type { TurnEndTask } from "../listening/turn-end-messages.ts";

export interface TranscriptionTask {
  /** Mono at 16 kHz, at most ten minutes. */
  samples: Int16Array;
  /** Expected language, a BCP 47 tag. */
  language?: string;
}

/** What the worker does with each kind of task. `owner`: the session's id; owners take turns. Throws EngineError. */
export interface TaskHandlers {
  /** Speaks a sentence with the formant voice. */
  speak(task: SentenceTask, owner: string): Promise<SpokenSamples>;
  /** Makes a piece of a sentence with the neural voice, or a sentence with a fetched voice. */
  makePiece(task: PieceTask | FetchedTask, owner: string): Promise<PieceAudio>;
  /** Predicts whether a turn is over. */
  predictTurnEnd(task: TurnEndTask, owner: string, signal?: AbortSignal): Promise<number>;
  /** Looks for a language model of the service's own; null if there is none. */
  findLanguageModel(task: object): Promise<LlmSettings | null>;
  /** Writes down what was said. */
  transcribe(task: TranscriptionTask, owner: string, signal?: AbortSignal): Promise<Transcription>;
  /** Lets a session that viewers render stream video, or takes note that it no longer does. Resolves with whether it
   *  may. */
  admitVideo(task: VideoTask, owner: string): Promise<boolean>;
}

export interface VideoTask {
  /** False: no viewer needs the video any more. */
  isNeeded: boolean;
}

export type TaskKind = keyof TaskHandlers;
type TaskOf<Kind extends TaskKind> = Parameters<TaskHandlers[Kind]>[0];
type ResultOf<Kind extends TaskKind> = Awaited<ReturnType<TaskHandlers[Kind]>>;

export interface TaskRequest<Kind extends TaskKind = TaskKind> {
  /** Of the session. */
  id: number;
  kind: Kind;
  sessionId: string;
  task: TaskOf<Kind>;
}

/** The result of a task, or why there is none. `id`: that of its request. */
export type TaskReply = { id: number; result: unknown } | { id: number; code: EngineErrorCode; message: string };

/** How tasks reach the worker. */
export interface TaskChannel {
  send(request: TaskRequest): void;
  cancel(id: number): void;
}

interface PendingTask {
  // As the kind of its request says.
  resolve(result: never): void;
  reject(error: unknown): void;
}

export class WorkerTasks {
  readonly #channel: TaskChannel;
  readonly #pending = new Map<number, PendingTask>();
  #lastId = 0;
  #isClosed = false;

  constructor(channel: TaskChannel) {
    this.#channel = channel;
  }

  /** Throws EngineError: that of the task, or unavailable once it is closed. Rejects with the signal's reason if it is
   *  aborted; the worker stops then what it can. */
  async run<Kind extends TaskKind>(
    kind: Kind,
    task: TaskOf<Kind>,
    sessionId: string,
    signal?: AbortSignal,
  ): Promise<ResultOf<Kind>> {
    if (this.#isClosed) throw closedError();
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    let cancel = (): void => undefined;
    const result = new Promise<ResultOf<Kind>>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      cancel = () => {
        this.#channel.cancel(id);
        reject(signal?.reason);
      };
    });
    signal?.addEventListener("abort", cancel, { once: true });
    this.#channel.send({ id, kind, sessionId, task });
    try {
      return await result;
    } finally {
      this.#pending.delete(id);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** The worker has answered. */
  take(reply: TaskReply): void {
    const pending = this.#pending.get(reply.id);
    if ("result" in reply) pending?.resolve(reply.result as never);
    else pending?.reject(new EngineError(reply.code, reply.message));
  }

  /** Tasks that are not done fail. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(closedError());
  }
}

function closedError(): EngineError {
  return new EngineError("unavailable", "The session has ended.");
}
