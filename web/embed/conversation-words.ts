// What the page says about the conversation: what answers, what is kept, and why the microphone stays off.

/** What answers, as the avatar tells it in its attribute `avatar_mind`: a language model, the agent's own documents
 *  beside those of this product, or the latter alone. */
export type AnswerSource = "model" | "knowledge" | "documents";

/** What a visitor's line does: it asks the avatar something, or the avatar says it. */
export type TypingMode = "ask" | "say";

/** What to say about what answers; undefined if there is nothing to say. `foundModel`: the name of a
 *  language model that was found meanwhile; empty without one. */
export function answerSourceNote(source: AnswerSource | undefined, foundModel = ""): string | undefined {
  if (source === "knowledge") return "I answer from my documents and this product's. I am not a language model.";
  if (source === "documents") return "I answer from this product's documents. I am not a language model.";
  return source === "model" && foundModel !== "" ? `Found ${foundModel}. It answers now.` : undefined;
}

/** What the text box and its button are called. */
export function typingWords(mode: TypingMode): { button: string; placeholder: string; label: string } {
  return mode === "say"
    ? { button: "Say it", placeholder: "Type what I should say", label: "What the avatar should say" }
    : { button: "Send", placeholder: "Type a message", label: "Message to the avatar" };
}

/** How long messages are kept, and whether they are used in the next conversation; undefined if they are not kept. */
export function keptNote(days: number, remembers: boolean): string | undefined {
  if (days <= 0) return undefined;
  const kept = `A transcript is kept for ${days === 1 ? "1 day" : `${days} days`}.`;
  return remembers ? `${kept} The avatar remembers what you talked about last time.` : kept;
}

/** What to say about the visitor's camera while it is on, by `avatar_camera`. */
export function cameraNote(view: string | undefined): string {
  if (view === "unseen") return "This avatar's language model takes no images: it does not see you.";
  return "With each thing you say, the avatar gets one image from your camera. Images are not kept.";
}

/** A value of `avatar_mind`; undefined for any other text. */
export function parseAnswerSource(text: string | undefined): AnswerSource | undefined {
  return text === "model" || text === "knowledge" || text === "documents" ? text : undefined;
}
