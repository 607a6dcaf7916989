// The steps of a creation as the flow names them.
import type { AgentStatus } from "./agent-client.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

/** The progress at which each step ends. Source: the service's moves of a creation. After the last one the avatar joins
 *  a room, which ends with its first frame. */
const ENDS_AT = [0, 0.7, 1] as const;

/** How many steps there are. */
export const STEP_COUNT = ENDS_AT.length + 1;

/** The names, in order. Without a picture there is nothing to find a face in at first. */
export function stepNames(texts: CreateTexts["making"], { hasPicture }: { hasPicture: boolean }): string[] {
  const begin = hasPicture ? [texts.sending, texts.finding] : [texts.sendingWords, texts.deciding];
  return [...begin, texts.making, texts.joining];
}

/** The index of the step that runs. Undefined status: the order is on its way. */
export function currentStep(status: AgentStatus | undefined): number {
  if (!status) return 0;
  const index = ENDS_AT.findIndex((endsAt) => status.progress < endsAt);
  return index === -1 ? ENDS_AT.length : index;
}

/** What a ready agent's owner should know about it; undefined if there is nothing. */
export function noteOf({ message }: Pick<AgentStatus, "message">): string | undefined {
  return /^Ready\.\s+(.+)$/s.exec(message)?.[1];
}

/** Why a face has to be marked, without the words that are meant for programs. */
export function markingReason({ message }: Pick<AgentStatus, "message">): string {
  return message.replace(/\s*Place its marks on the page that .*$/s, "");
}
