// The figures of `npm run bench -- conversation`, by part.
import type { AnswerFigures } from "./measure-answers.ts";
import type { CostFigures } from "./measure-cost.ts";
import type { CuttingInFigures, NonWordFigures } from "./measure-cutting-in.ts";
import type { EchoFigures } from "./measure-echo.ts";
import type { FrameworkFigures } from "./measure-framework.ts";
import type { TurnFigures } from "./measure-turns.ts";

export const CONVERSATION_PARTS = ["answers", "provider", "framework", "cutting-in", "turns", "cost", "echo"] as const;
export type ConversationPart = (typeof CONVERSATION_PARTS)[number];

export interface ConversationFigures {
  answers?: { remote: AnswerFigures; built_in: AnswerFigures };
  /** On the account's own servers. */
  provider?: AnswerFigures;
  framework?: FrameworkFigures;
  cutting_in?: { words: CuttingInFigures; non_words: NonWordFigures };
  turns?: TurnFigures;
  cost?: CostFigures;
  echo?: EchoFigures;
}
