// Writes answers: with the language model and passages of the agent's documents, or, without a model, from documents.

import { primaryLanguage } from "../../speech/languages/languages.ts";
import { answerFromDocuments, documentQuery, findAnswer } from "../answers/answer-from-documents.ts";
import type { Persona } from "../answers/small-talk.ts";
import type { LlmImage, LlmMessage } from "../llm/llm-turn.ts";
import { speakablePieces } from "../llm/speakable-pieces.ts";
import type { ConversationLlm, LookAtPerson, SearchKnowledge } from "./conversation-parts.ts";
import { fixedSentence } from "./fixed-sentences.ts";
import { type Passage, passagesMessage } from "./passages.ts";
import { searchTool } from "./search-tool.ts";

/** An answer waits this long for passages, ms. */
const SEARCH_MS = 150;
/** Without a model the passages are the answer: it waits longer. */
const SEARCH_WITHOUT_MODEL_MS = 2_000;

/** What an answer is written from. */
export interface AnswerSources {
  /** What the person has said. */
  text: string;
  /** For the model; undefined if none answers. */
  instructions: string | undefined;
  /** What came before, oldest first. */
  history: readonly LlmMessage[];
  /** Found in the agent's documents. */
  passages: readonly Passage[];
  /** Whether the model gets an image of the person's camera. */
  hasImage: boolean;
}

export interface AnswerWriterOptions {
  /** For the model; see `spokenInstructions`. */
  instructions: string;
  /** Of the agent, a BCP 47 tag. */
  language: string;
  /** Who the avatar is where no model answers. */
  persona: Omit<Persona, "hasDocuments">;
  /** The model that answers now; null: answers come from documents. */
  llm(): ConversationLlm | null;
  /** Null: there are no documents. */
  search: SearchKnowledge | null;
  /** Default: the model sees nothing. */
  look?: LookAtPerson;
  /** Id of the person, for the model's server. */
  user?: string;
  /** Headers for the model's server. */
  headers?: Readonly<Record<string, string>>;
  /** An answer is about to be written. It may be dropped, if the person goes on. Default: no one is told. */
  onSources?(sources: AnswerSources): void;
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
    const { language, onSources } = this.#options;
    const llm = this.#options.llm();
    if (!llm) {
      const known = await history;
      const documents = await this.#readDocuments(text, known, signal);
      const { passages } = documents;
      onSources?.({ text, instructions: undefined, history: known, passages, hasImage: false });
      yield answerFromDocuments(documents);
      return;
    }
    const looking = this.#look(llm, signal);
    const passages = await this.#search(text, SEARCH_MS, signal);
    const data = passagesMessage(passages);
    const { instructions, search, user, headers } = this.#options;
    const known = await history;
    const image = await looking;
    onSources?.({ text, instructions, history: known, passages, hasImage: image !== undefined });
    const turn = {
      instructions,
      history: [
        ...known,
        ...(data === undefined ? [] : [{ role: "context" as const, text: data }]),
        { role: "user" as const, text },
      ],
      image,
      user,
      headers,
      tools: search ? [searchTool(search)] : undefined,
      signal,
    };
    yield* speakablePieces(llm.answer(turn), language);
  }

  /** What to say if the model has failed with the answer to `text`: what stands in documents, or that it failed. */
  async standIn(text: string, history: readonly LlmMessage[]): Promise<string> {
    const { language } = this.#options;
    const found = findAnswer(await this.#readDocuments(text, history, new AbortController().signal));
    return found === undefined || primaryLanguage(language) !== "en"
      ? fixedSentence("failed", language)
      : `My language model does not answer now, so I look in my documents. ${found}`;
  }

  async #readDocuments(text: string, history: readonly LlmMessage[], signal: AbortSignal) {
    const { persona, language, search } = this.#options;
    const passages = await this.#search(documentQuery(text, history), SEARCH_WITHOUT_MODEL_MS, signal);
    return { text, history, passages, persona: { ...persona, hasDocuments: search !== null }, language };
  }

  async #look(llm: ConversationLlm, signal: AbortSignal): Promise<LlmImage | undefined> {
    return llm.takesImages ? this.#options.look?.(signal) : undefined;
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
