// Starts the conversation of a session: its ears, its language model, and where its turns end.
import { Mind } from "../../src/mind/mind.ts";
import { TranscriptionClient } from "../../src/recognition/transcription-client.ts";
import { OWNER_HEADER } from "../ears/transcription-server.ts";
import { endOfTurnThreshold } from "../listening/end-of-turn-threshold.ts";
import type { ProviderParts } from "../providers/provider-parts.ts";
import type { ConversationTask } from "./conversation-task.ts";
import { RoomConversation, type RoomConversationOptions } from "./room-conversation.ts";

/** Longest wait for a text, ms: five minutes of speech take 20 s of a core. */
const EARS_TIMEOUT_MS = 30_000;
/** Our recogniser has one network. */
const EARS_MODEL = "whisper-base";

type Reports = Pick<RoomConversationOptions, "onCheckpoint" | "onTurn" | "onFault">;

/** What the session gives to its conversation. */
export type ConversationInRoom = Omit<RoomConversationOptions, "parts" | "checkpoint" | keyof Reports>;

export interface StartConversationOptions extends ConversationInRoom, Reports {
  task: ConversationTask;
  /** The account's own servers; null without any. */
  providers: ProviderParts | null;
  /** Asks the worker's model. Throws EngineError. */
  predictTurnEnd(samples: Int16Array): Promise<number>;
}

export async function startConversation({
  task,
  providers,
  predictTurnEnd,
  ...options
}: StartConversationOptions): Promise<RoomConversation> {
  const { room, job } = options;
  const ownEars = new TranscriptionClient({
    ...task.ears,
    headers: { [OWNER_HEADER]: job.avatar_session_id },
    model: EARS_MODEL,
    timeoutMs: EARS_TIMEOUT_MS,
  });
  const ownMind = task.mind && new Mind(task.mind);
  return new RoomConversation({
    ...options,
    parts: {
      ears: providers?.ears(ownEars) ?? ownEars,
      endOfTurn: { predict: predictTurnEnd, threshold: endOfTurnThreshold },
      mind: providers?.mind ?? ownMind,
      isProviderMind: providers?.mind != null,
      realtime: providers?.realtime ?? null,
      headers: { "X-LiveKit-Room-ID": (await room.getSid()) || job.room_name, "X-LiveKit-Job-ID": task.jobId },
    },
    checkpoint: task.checkpoint,
  });
}
