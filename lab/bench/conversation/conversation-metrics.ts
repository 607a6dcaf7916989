// The metrics of `npm run bench -- conversation`, by part.
import type { AnswerMetrics } from "./measure-answers.ts";
import type { CostMetrics } from "./measure-cost.ts";
import type { CuttingInMetrics, NonWordMetrics } from "./measure-cutting-in.ts";
import type { EchoMetrics } from "./measure-echo.ts";
import type { FrameworkMetrics } from "./measure-framework.ts";
import type { TurnMetrics } from "./measure-turns.ts";

export const CONVERSATION_PARTS = ["answers", "provider", "framework", "cutting-in", "turns", "cost", "echo"] as const;
export type ConversationPart = (typeof CONVERSATION_PARTS)[number];

export interface ConversationMetrics {
  answers?: { remote: AnswerMetrics; built_in: AnswerMetrics };
  /** On the account's own servers. */
  provider?: AnswerMetrics;
  framework?: FrameworkMetrics;
  cutting_in?: { words: CuttingInMetrics; non_words: NonWordMetrics };
  turns?: TurnMetrics;
  cost?: CostMetrics;
  echo?: EchoMetrics;
}
