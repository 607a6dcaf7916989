// Who leads the turns of a conversation: the account's realtime server while it works, and our own turn logic without
// one or when it has failed.
import type { JobDescription } from "../../shared/runtime-api.ts";
import type { LlmMessage } from "../../src/conversation/llm/llm-turn.ts";
import type { AnswerSources } from "../../src/conversation/turns/answer-writer.ts";
import type { ConversationListener } from "../../src/conversation/turns/conversation-listener.ts";
import type {
  ConversationLlm,
  ConversationStt,
  EndOfTurn,
  LookAtPerson,
  SearchKnowledge,
} from "../../src/conversation/turns/conversation-parts.ts";
import { spokenInstructions } from "../../src/conversation/turns/instructions.ts";
import type { SpeechOutput } from "../../src/conversation/turns/speech-output.ts";
import { CUT_IN_MS } from "../../src/conversation/turns/turn-taker.ts";
import type { RealtimeProvider } from "../providers/realtime-link.ts";
import type { PlayedUtterance } from "../room/audio-utterance.ts";
import type { AnsweringModel } from "./answering-model.ts";
import { LocalTurns } from "./local-turns.ts";
import { RealtimeTurns } from "./realtime/realtime-turns.ts";
import type { TurnLeader } from "./turn-leader.ts";

/** Beside the avatar's own echo, with rests that may last as long as a short word, ms. */
const CUT_IN_BESIDE_ECHO_MS = 320;
/** A realtime server that has led a conversation for this long is called again when it fails, ms. */
const PROVEN_MS = 30_000;

/** What recognises speech, ends turns and answers. */
export interface ConversationParts {
  stt: ConversationStt;
  endOfTurn: EndOfTurn;
  model: Pick<AnsweringModel, "llm" | "isProvider" | "foundName" | "start" | "failed" | "close">;
  /** A realtime server of the account's own, which takes the place of speech recognition, language model and voice
   *  until it fails; null without one. */
  realtime: RealtimeProvider | null;
  /** Headers for the model's server. */
  headers: Readonly<Record<string, string>>;
}

export interface TurnSuccessionOptions {
  avatar: SpeechOutput & {
    /** Begins an utterance with audio from elsewhere. */
    play(sampleRateHz: number): PlayedUtterance;
  };
  echo: { readonly hasEcho: boolean };
  job: JobDescription;
  /** Of the agent's voice. */
  language: string;
  parts: ConversationParts;
  /** Null: there are no documents. */
  search: SearchKnowledge | null;
  look: LookAtPerson;
  /** What was said before, oldest first. */
  history: readonly LlmMessage[];
  listener: ConversationListener;
  /** Our own turn logic is about to write an answer. */
  onSources(sources: AnswerSources): void;
  /** Another one leads. */
  onSucceeded(): void;
}

export class TurnSuccession {
  readonly #options: TurnSuccessionOptions;
  #leader: TurnLeader | undefined;
  #isRemote: boolean;
  #isClosed = false;

  constructor(options: TurnSuccessionOptions) {
    this.#options = options;
    this.#isRemote = options.parts.realtime !== null;
  }

  /** Begins to lead, with the realtime server if there is one. Once, before all else. */
  start(): void {
    const { parts, history } = this.#options;
    this.#leader = parts.realtime ? this.#openRealtime(parts.realtime, history) : this.#openLocal(history);
  }

  /** The one that leads now. Throws Error before `start`. */
  get leader(): TurnLeader {
    if (!this.#leader) throw new Error("the conversation is not started");
    return this.#leader;
  }

  /** Whether a realtime server leads. */
  get isRemote(): boolean {
    return this.#isRemote;
  }

  /** The language model of our own turn logic. Our own model does not stand in for the account's: no one would be
   *  billed for it. */
  get llm(): ConversationLlm | null {
    const { model, realtime } = this.#options.parts;
    return realtime && !model.isProvider ? null : model.llm;
  }

  /** Ends what is said. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#leader?.close();
  }

  /** Our own speech recognition, language model and voice. */
  #openLocal(history: readonly LlmMessage[]): TurnLeader {
    const { avatar, job, language, parts, echo, search, look, listener, onSources } = this.#options;
    return new LocalTurns({
      instructions: this.#instructions(true),
      language,
      stt: parts.stt,
      endOfTurn: parts.endOfTurn,
      persona: { name: job.agent_name, systemPrompt: job.system_prompt },
      llm: () => this.llm,
      search,
      look,
      user: job.end_user_id ?? job.avatar_session_id,
      headers: parts.headers,
      output: avatar,
      cutInMs: () => (echo.hasEcho ? CUT_IN_BESIDE_ECHO_MS : CUT_IN_MS),
      history,
      listener,
      onSources,
    });
  }

  /** The account's realtime server. Our own speech recognition and voice take over when it fails. */
  #openRealtime({ connect, voice }: RealtimeProvider, history: readonly LlmMessage[]): TurnLeader {
    const { avatar, language, search, listener, onSucceeded } = this.#options;
    const turns = new RealtimeTurns({
      connect,
      instructions: this.#instructions(false),
      language,
      voice,
      play: (sampleRateHz) => avatar.play(sampleRateHz),
      search,
      history,
      listener,
      onFailed: (openMs) => {
        if (this.#isClosed) return;
        const { snapshot } = turns;
        // Servers end long sessions, and restart: one that has worked is called again.
        this.#isRemote = openMs > PROVEN_MS;
        this.#leader = this.#isRemote
          ? this.#openRealtime({ connect, voice }, snapshot.history)
          : this.#openLocal(snapshot.history);
        this.#leader.goOn(snapshot);
        onSucceeded();
      },
    });
    turns.start();
    return turns;
  }

  /** `hasExpressions`: by tags. A realtime server has a function for them. */
  #instructions(hasExpressions: boolean): string {
    const { job, language } = this.#options;
    return spokenInstructions({ systemPrompt: job.system_prompt, name: job.agent_name, language, hasExpressions });
  }
}
