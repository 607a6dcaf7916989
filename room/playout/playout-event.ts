// What happens while an avatar starts and plays in its room, for the session's worker.
import type { PlayoutReport } from "./playout-metrics.ts";

/** Steps of a session's start, each told once by a process: it has its session, the avatar is open, the room is joined,
 *  both tracks are published, the first frame is shown, the first speech is heard. */
export type Milestone = "running" | "opened" | "joined" | "published" | "first-frame" | "first-speech";

export type PlayoutEvent =
  /** `atMs`: when, in milliseconds since the epoch. */
  | { type: "milestone"; milestone: Milestone; atMs: number }
  /** Statistics since the report before, every ten seconds and at the end. */
  | { type: "playout"; report: PlayoutReport };

/** The event of a milestone that is reached now. */
export function milestoneReached(milestone: Milestone): PlayoutEvent {
  return { type: "milestone", milestone, atMs: performance.timeOrigin + performance.now() };
}
