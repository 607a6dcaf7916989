// What a conversation is put together from. None of it knows a room.

import type { TranscribeOptions, Transcription } from "../../speech/recognition/transcription-client.ts";
import type { AnswerReport, LlmImage, LlmTurn } from "../llm/llm-turn.ts";
import type { Passage } from "./passages.ts";

/** Writes down what was said. */
export interface ConversationStt {
  /** `samples`: mono at 16 kHz. Throws EngineError, and the signal's reason. */
  transcribe(samples: Int16Array, options: TranscribeOptions): Promise<Transcription>;
}

/** Says whether someone who has paused has finished. */
export interface EndOfTurn {
  /** `samples`: the last 1.2 s, mono at 16 kHz. Resolves with a probability. */
  predict(samples: Int16Array): Promise<number>;
  /** From this probability on, a turn is over. */
  threshold(language: string): number;
}

/** Answers. */
export interface ConversationLlm {
  /** False once the model has refused an image. */
  readonly takesImages: boolean;
  answer(turn: LlmTurn): AsyncGenerator<string, AnswerReport>;
}

/** Looks at what the person's camera shows now. Undefined if there is no camera, or no image of it in time. Does not
 *  reject. */
export type LookAtPerson = (signal: AbortSignal) => Promise<LlmImage | undefined>;

/** Searches the agent's documents; best first. */
export type SearchKnowledge = (query: string, signal: AbortSignal) => Promise<readonly Passage[]>;
