// Writes what a response says: with the language model, or, without one, a fixed sentence.

import type { FixedSentence } from "../../../speech/languages/language.ts";
import { takeExpressionTags } from "../../../speech/text/expression-tags.ts";
import type { AnswerReport, LlmTurn } from "../../llm/llm-turn.ts";
import { speakablePieces } from "../../llm/speakable-pieces.ts";
import type { ConversationLlm } from "../../turns/conversation-parts.ts";
import { fixedSentence } from "../../turns/fixed-sentences.ts";
import { spokenInstructions } from "../../turns/instructions.ts";
import { PreparedAnswer } from "../../turns/prepared-answer.ts";
import type { ConversationItem } from "../items/conversation-items.ts";
import { llmHistory } from "../items/llm-history.ts";
import type { ResponseSettings } from "../session-settings.ts";
import type { WrittenText } from "./realtime-response.ts";

export interface ResponseWriterOptions {
  /** Null without a language model. */
  llm: ConversationLlm | null;
  /** Id of the person, and headers, for the model's server. */
  user?: string;
  headers?: Readonly<Record<string, string>>;
}

export interface WriteOptions {
  settings: ResponseSettings;
  /** A BCP 47 tag. */
  language: string;
  /** The conversation when the language model is asked. */
  items(): readonly ConversationItem[];
}

export class ResponseWriter {
  readonly #options: ResponseWriterOptions;

  constructor(options: ResponseWriterOptions) {
    this.#options = options;
  }

  /** Begins to write an answer: in pieces for the voice, or in words. */
  write(options: WriteOptions): WrittenText {
    const { llm } = this.#options;
    if (!llm) return this.fixed("no-llm", options.language);
    let report: AnswerReport | undefined;
    const note = (end: AnswerReport) => {
      report = end;
    };
    return { answer: new PreparedAnswer((signal) => this.#pieces(llm, options, signal, note)), report: () => report };
  }

  fixed(sentence: FixedSentence, language: string): WrittenText {
    const answer = new PreparedAnswer(async function* () {
      yield fixedSentence(sentence, language);
    });
    return { answer, report: () => undefined };
  }

  async *#pieces(
    llm: ConversationLlm,
    { settings, language, items }: WriteOptions,
    signal: AbortSignal,
    onReport: (report: AnswerReport) => void,
  ): AsyncGenerator<string> {
    const used = items();
    await Promise.all(used.map(whenKnown));
    signal.throwIfAborted();
    const { user, headers } = this.#options;
    const { instructions: systemPrompt, wantsAudio } = settings;
    const words = llm.answer({
      instructions: wantsAudio ? spokenInstructions({ systemPrompt, language }) : systemPrompt,
      ...llmHistory(used),
      ...toolsOf(settings),
      user,
      headers,
      signal,
    });
    onReport(yield* wantsAudio ? withoutTags(speakablePieces(words, language)) : words);
  }
}

/** The pieces without tags of expressions: a call has no face. Pieces are cut between words, and no tag has a space. */
async function* withoutTags<T>(pieces: AsyncGenerator<string, T>): AsyncGenerator<string, T> {
  for (;;) {
    const next = await pieces.next();
    if (next.done) return next.value;
    const { text } = takeExpressionTags(next.value);
    if (text !== "") yield text;
  }
}

/** Resolves when all that was said in an item is written down. */
async function whenKnown(item: ConversationItem): Promise<void> {
  if (item.type !== "message") return;
  await Promise.all(item.parts.map((part) => (part.kind === "audio" ? part.known : undefined)));
}

function toolsOf({ tools, toolChoice }: ResponseSettings): Pick<LlmTurn, "tools" | "toolChoice"> {
  if (tools.length === 0 || toolChoice === "none") return {};
  if (toolChoice === "auto") return { tools };
  return { tools, toolChoice: toolChoice === "required" ? toolChoice : { name: toolChoice } };
}
