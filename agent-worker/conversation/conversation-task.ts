// What a session's process is given for its conversation.
import type { LlmSettings } from "../../src/conversation/llm/request-chat.ts";
import type { ConversationCheckpoint } from "./reports/conversation-checkpoint.ts";

export interface ConversationTask {
  /** Null if no language model is configured or found. */
  llm: LlmSettings | null;
  /** LiveKit's id of the job, for the model's server. */
  jobId: string;
  /** Where the process before this one was interrupted. */
  checkpoint: ConversationCheckpoint | undefined;
}
