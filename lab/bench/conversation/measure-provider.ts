// The same answers on servers of the account: the model and voice servers of this benchmark, now as its providers.
import type { ConversationStage } from "./conversation-stage.ts";
import { type AnswerMetrics, measureAnswers } from "./measure-answers.ts";
import { withAccountServers } from "./with-account-servers.ts";

/** Says each question in turn until there were `turns`. Afterwards the agent uses the service's own parts again. */
export function measureProvider(
  stage: ConversationStage,
  questions: readonly Int16Array[],
  turns: number,
): Promise<AnswerMetrics> {
  return withAccountServers(stage, () => measureAnswers(stage, questions, turns));
}
