// States and ends of sessions in words.
import type { Tone } from "../../controls/badge.tsx";
import type { Texts } from "../../texts/load-texts.ts";

/** As lists and records name them. */
export type SessionState = "starting" | "live" | "idle" | "ended";

export const STATE_TONES: Readonly<Record<SessionState, Tone>> = {
  starting: "busy",
  live: "good",
  idle: "busy",
  ended: "quiet",
};

/** Why it ended; null while it runs. A reason that this page does not know is shown as it is. */
export function endInWords({ ends }: Texts["sessions"], reason: string | null): string | null {
  if (reason === null) return null;
  return Object.hasOwn(ends, reason) ? ends[reason as keyof typeof ends] : reason;
}
