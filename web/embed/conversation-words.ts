// What the page says about the conversation: what answers, what is kept, and what the avatar sees.
import type { EmbedTexts } from "./texts/load-embed-texts.ts";

/** What answers, as the avatar tells it in its attribute `avatar_mind`: a language model, the agent's own documents
 *  beside those of this product, or the latter alone. */
export type AnswerSource = "model" | "knowledge" | "documents";

/** What a visitor's line does: it asks the avatar something, or the avatar says it. */
export type TypingMode = "ask" | "say";

/** What to say about what answers; undefined if there is nothing to say. `foundModel`: the name of a
 *  language model that was found meanwhile; empty without one. */
export function answerSourceNote(
  { answers }: EmbedTexts,
  source: AnswerSource | undefined,
  foundModel = "",
): string | undefined {
  if (source === "knowledge" || source === "documents") return answers[source];
  return source === "model" && foundModel !== "" ? answers.found(foundModel) : undefined;
}

/** How long messages are kept, and whether they are used in the next conversation; undefined if they are not kept. */
export function keptNote(texts: EmbedTexts, days: number, remembers: boolean): string | undefined {
  if (days <= 0) return undefined;
  return remembers ? `${texts.kept(days)} ${texts.remembers}` : texts.kept(days);
}

/** What to say about the visitor's camera while it is on, by `avatar_camera`. */
export function cameraNote(texts: EmbedTexts, view: string | undefined): string {
  return texts.cameraNote[view === "unseen" ? "unseen" : "watched"];
}

/** A value of `avatar_mind`; undefined for any other text. */
export function parseAnswerSource(text: string | undefined): AnswerSource | undefined {
  return text === "model" || text === "knowledge" || text === "documents" ? text : undefined;
}
