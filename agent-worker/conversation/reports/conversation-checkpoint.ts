// What another process of a session needs to go on with its conversation.
import type { SessionMessage } from "../../../shared/runtime-api.ts";
import type { ConversationSnapshot } from "../../../src/conversation/turns/conversation.ts";

export interface ConversationCheckpoint extends ConversationSnapshot {
  /** Number of the last message. */
  lastSeq: number;
  /** How long a camera was watched, s. */
  watchedSeconds: number;
  /** Messages that are not reported yet. */
  unreported: SessionMessage[];
  /** Messages that were never reported, because too many came. */
  droppedMessages: number;
}
