// Writes answers: with the language model, with passages of the agent's documents, or both.
import type { LlmImage, LlmMessage } from "../llm/llm-turn.ts";
import { speakablePieces } from "../llm/speakable-pieces.ts";
import type { ConversationLlm, LookAtPerson, SearchKnowledge } from "./conversation-parts.ts";
import { fixedSentence } from "./fixed-sentences.ts";
import { answerFromPassages, type Passage, passagesMessage } from "./passages.ts";
import { searchTool } from "./search-tool.ts";

/** An answer waits this long for passages, ms. */
const SEARCH_MS = 150;
/** Without a model the passages are the answer: it waits longer. */
const SEARCH_WITHOUT_MODEL_MS = 2_000;

export interface AnswerWriterOptions {
  /** For the model; see `spokenInstructions`. */
  instructions: string;
  /** Of the agent, a BCP 47 tag. */
  language: string;
  /** Null: answers come from documents alone. */
  llm: ConversationLlm | null;
  /** Null: there are no documents. */
  search: SearchKnowledge | null;
  /** Default: the model sees nothing. */
  look?: LookAtPerson;
  /** Id of the person, for the model's server. */
  user?: string;
  /** Headers for the model's server. */
  headers?: Readonly<Record<string, string>>;
}

export class AnswerWriter {
  readonly #options: AnswerWriterOptions;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
  }

  /** Pieces that a voice can speak. `history`: everything before `text`, which the user has said. Throws as
   *  `LanguageModel.answer`. */
  async *write(
    text: string,
    history: readonly LlmMessage[] | Promise<readonly LlmMessage[]>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const { llm, language } = this.#options;
    const looking = this.#look(signal);
    const passages = await this.#search(text, llm ? SEARCH_MS : SEARCH_WITHOUT_MODEL_MS, signal);
    if (!llm) {
      yield answerFromPassages(text, passages, language) ?? fixedSentence("no-llm", language);
      return;
    }
    const data = passagesMessage(passages);
    const { instructions, search, user, headers } = this.#options;
    const turn = {
      instructions,
      history: [
        ...(await history),
        ...(data === undefined ? [] : [{ role: "context" as const, text: data }]),
        { role: "user" as const, text },
      ],
      image: await looking,
      user,
      headers,
      tools: search ? [searchTool(search)] : undefined,
      signal,
    };
    yield* speakablePieces(llm.answer(turn), language);
  }

  async #look(signal: AbortSignal): Promise<LlmImage | undefined> {
    const { llm, look } = this.#options;
    return llm?.takesImages ? look?.(signal) : undefined;
  }

  /** None if the search is too slow or fails: a late answer is worse. */
  async #search(text: string, timeoutMs: number, signal: AbortSignal): Promise<readonly Passage[]> {
    const { search } = this.#options;
    if (!search) return [];
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const found = search(text, AbortSignal.any([signal, late]));
      const nothing = new Promise<readonly Passage[]>((resolve) => {
        late.addEventListener("abort", () => resolve([]), { once: true });
      });
      return await Promise.race([found, nothing]);
    } catch {
      signal.throwIfAborted();
      return [];
    }
  }
}
