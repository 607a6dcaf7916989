// The system message of a conversation: the agent's prompt, and what every language model must know about speaking
// aloud.
import { EXPRESSION_NAMES } from "../../../shared/expressions.ts";

export interface InstructionsOptions {
  /** The agent's prompt. */
  systemPrompt: string;
  /** Default: the prompt says it. */
  name?: string;
  /** Of the agent, a BCP 47 tag. */
  language: string;
  /** Whether the face shows the expressions that answers have tags for. Default false. */
  hasExpressions?: boolean;
}

/** One tag, and only first: the voice begins as soon as without it. */
const EXPRESSION_LINES = [
  `You have a face. Where a feeling fits what you say, put one of these tags before the first word of your answer:`,
  `${EXPRESSION_NAMES.map((name) => `[${name}]`).join(" ")}. It is shown, not spoken. Write no other tag.`,
];

/** Instructions for answers that are heard. */
export function spokenInstructions({ systemPrompt, name, language, hasExpressions }: InstructionsOptions): string {
  const spoken = [
    ...(name === undefined ? [] : [`Your name is ${name}.`]),
    "You are talking with a person face to face, by voice: what you write is spoken aloud.",
    "Answer in one to three short sentences unless more is needed. Write plain sentences: no lists, no headings, no",
    "emoji, no markup, no stage directions.",
    `Speak the language with the tag ${language}, unless the person speaks another one.`,
    "What the person says was written down by a speech recogniser and may hold mistakes; make sense of it silently.",
    ...(hasExpressions ? EXPRESSION_LINES : []),
  ].join("\n");
  return [systemPrompt.trim(), spoken].filter(Boolean).join("\n\n");
}
