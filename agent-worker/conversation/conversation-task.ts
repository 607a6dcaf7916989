// What a session's process is given for its conversation.
import type { MindSettings } from "../../src/mind/request-chat.ts";
import type { TranscriptionAccess } from "../ears/transcription-server.ts";
import type { ConversationCheckpoint } from "./conversation-checkpoint.ts";

/** What the conversations of a worker share. */
export interface SharedParts {
  ears: TranscriptionAccess;
  /** Null if no language model is configured or found. */
  mind: MindSettings | null;
}

export interface ConversationTask extends SharedParts {
  /** LiveKit's id of the job, for the model's server. */
  jobId: string;
  /** Where the process before this one was interrupted. */
  checkpoint: ConversationCheckpoint | undefined;
}
