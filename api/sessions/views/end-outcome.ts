// What the owner of an ended session is told: whether its avatar is gone, or when it will be.
import { type AvatarSession, SELF_HOSTED_GRACE_S } from "../record/avatar-session.ts";

export interface EndOutcome {
  /** The avatar is known to have left its room. */
  hasLeft: boolean;
  note: string;
}

/** The outcome at `nowMs`. A runtime of the caller's own leaves when it is told at a heartbeat; one that cannot reach
 *  the service gives up after its grace period. */
export function endOutcome({ isSelfHosted, isHosted, leftAt, endedAt }: AvatarSession, nowMs: number): EndOutcome {
  const isGivenUp = isSelfHosted && endedAt !== null && nowMs - endedAt.getTime() >= SELF_HOSTED_GRACE_S * 1000;
  const hasLeft = leftAt !== null || isGivenUp;
  return { hasLeft, note: noteOn({ isSelfHosted, isHosted, hasLeft }) };
}

function noteOn({ isSelfHosted, isHosted, hasLeft }: { isSelfHosted: boolean; isHosted: boolean; hasLeft: boolean }) {
  if (isSelfHosted && !hasLeft) return "The session has ended; the runtime is told at its next heartbeat.";
  if (isSelfHosted) return "The session has ended, and the runtime knows.";
  if (isHosted && hasLeft) return "The conversation has ended, and its room is closed.";
  return hasLeft ? "The avatar has left the room." : "Billing has stopped; the avatar leaves within about a minute.";
}
