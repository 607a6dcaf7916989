// The steps of a creation as the page names them.
import type { AgentStatus } from "./agent-client.ts";

/** The steps, each with the progress at which it ends. Source: the service's moves of a creation. After them the avatar
 *  joins a room, which ends with its first frame. */
const STEPS = [
  { name: "Sending the picture", endsAt: 0 },
  { name: "Finding the face", endsAt: 0.7 },
  { name: "Making the face", endsAt: 1 },
] as const;
const JOINING = "Coming to you";

export const STEP_NAMES: readonly string[] = [...STEPS.map(({ name }) => name), JOINING];

/** The index of the step that runs. Undefined status: the picture is on its way. */
export function currentStep(status: AgentStatus | undefined): number {
  if (!status) return 0;
  const index = STEPS.findIndex(({ endsAt }) => status.progress < endsAt);
  return index === -1 ? STEPS.length : index;
}

/** What a ready agent's owner should know about it; undefined if there is nothing. */
export function noteOf({ message }: Pick<AgentStatus, "message">): string | undefined {
  return /^Ready\.\s+(.+)$/s.exec(message)?.[1];
}

/** Why a face has to be marked, without the words that are meant for programs. */
export function markingReason({ message }: Pick<AgentStatus, "message">): string {
  return message.replace(/\s*Place its marks on the page that .*$/s, "");
}
