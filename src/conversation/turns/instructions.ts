// The system message of a conversation: the agent's prompt, and what every language model must know about speaking
// aloud.

export interface InstructionsOptions {
  /** The agent's prompt. */
  systemPrompt: string;
  /** Default: the prompt says it. */
  name?: string;
  /** Of the agent, a BCP 47 tag. */
  language: string;
}

/** Instructions for answers that are heard. */
export function spokenInstructions({ systemPrompt, name, language }: InstructionsOptions): string {
  const spoken = [
    ...(name === undefined ? [] : [`Your name is ${name}.`]),
    "You are talking with a person face to face, by voice: what you write is spoken aloud.",
    "Answer in one to three short sentences unless more is needed. Write plain sentences: no lists, no headings, no",
    "emoji, no markup, no stage directions.",
    `Speak the language with the tag ${language}, unless the person speaks another one.`,
    "What the person says was written down by a speech recogniser and may hold mistakes; make sense of it silently.",
  ].join("\n");
  return [systemPrompt.trim(), spoken].filter(Boolean).join("\n\n");
}
