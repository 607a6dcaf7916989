// What an avatar says where no language model answers: small talk by rules, what stands in the agent's documents or in
// the product's, or that it does not know. Small talk and the product's document are in English; in other languages the
// agent's own documents answer.
import { detectLanguage } from "../../speech/languages/detect-language.ts";
import { LANGUAGES, languageOrEnglish, primaryLanguage } from "../../speech/languages/languages.ts";
import type { LlmMessage } from "../llm/llm-turn.ts";
import type { DocumentPassage } from "./document-places.ts";
import { isEnglishText } from "./english-words.ts";
import { searchDocuments } from "./search-documents.ts";
import { type Persona, readSmallTalk } from "./small-talk.ts";

/** What is read of a longer text. */
const MAX_CHARACTERS = 500;
const UNKNOWN = "I don't know that";
/** Begins a question that goes on from the one before; it is short, in words. */
const GOES_ON = /^(?:and|what about|how about|or)\b/i;
const MAX_GOING_ON_WORDS = 8;

export interface DocumentAnswerOptions {
  /** What the person has said. */
  text: string;
  /** Everything before it, oldest first. */
  history: readonly LlmMessage[];
  /** Of the agent's own documents, best first. */
  passages: readonly DocumentPassage[];
  persona: Persona;
  /** Of the agent, a BCP 47 tag. */
  language: string;
}

/** What to search the agent's documents for: the question, and the one that it goes on from. */
export function documentQuery(text: string, history: readonly LlmMessage[]): string {
  return [earlierQuestion(text, history), text].filter(Boolean).join(" ").slice(-MAX_CHARACTERS);
}

/** The answer. Never empty. */
export function answerFromDocuments(options: DocumentAnswerOptions): string {
  return findAnswer(options) ?? declined(options);
}

/** As `answerFromDocuments`; undefined if nothing is known. */
export function findAnswer({ text: whole, history, passages, persona, language: ofAgent }: DocumentAnswerOptions) {
  const text = whole.slice(0, MAX_CHARACTERS);
  const language = languageOf(text, ofAgent);
  if (language !== "en") return searchDocuments({ text, language }, passages);
  const { question, reply } = readSmallTalk(text, persona, lastAnswer(history));
  if (question === "") return reply;
  return searchDocuments({ text: question, earlier: earlierQuestion(text, history), language }, passages);
}

function languageOf(text: string, ofAgent: string): string {
  return isEnglishText(text) ? "en" : (detectLanguage(text, LANGUAGES) ?? primaryLanguage(ofAgent));
}

function earlierQuestion(text: string, history: readonly LlmMessage[]): string | undefined {
  const isGoingOn = GOES_ON.test(text.trim()) && text.trim().split(/\s+/).length <= MAX_GOING_ON_WORDS;
  return isGoingOn ? history.findLast(({ role }) => role === "user")?.text.slice(0, MAX_CHARACTERS) : undefined;
}

function lastAnswer(history: readonly LlmMessage[]): string {
  return history.findLast(({ role }) => role === "assistant")?.text ?? "";
}

/** That it does not know, and what to ask instead. */
function declined({ text, history, persona, language: ofAgent }: DocumentAnswerOptions): string {
  const language = languageOf(text.slice(0, MAX_CHARACTERS), ofAgent);
  if (language !== "en") return languageOrEnglish(language).fixedSentences["no-llm"];
  if (lastAnswer(history).startsWith(UNKNOWN)) return `${UNKNOWN}, either. A language model could say more.`;
  if (persona.hasDocuments) return `${UNKNOWN}. My documents do not say it.`;
  return `${UNKNOWN}. Ask me about this service: your own photo, for example, or what it costs.`;
}
