// What happens in a conversation, for the session's worker.
import type { ConversationFault, TurnTimes } from "../../src/conversation/turns/conversation-listener.ts";
import type { CheckpointChange } from "./reports/checkpoint-change.ts";

export type ConversationEvent =
  /** What the next process would need has changed (see `Checkpoints`). Sent once a second at most, but for a burst of
   *  three. */
  | { type: "conversation"; change: CheckpointChange }
  /** A turn was answered. */
  | { type: "turn"; times: TurnTimes }
  /** Speech recognition, language model or voice have failed. */
  | { type: "conversation-fault"; part: ConversationFault };
