// Starts the conversation of a session: its speech recognition, its language model, and where its turns end.
import { LanguageModel } from "../../src/conversation/llm/language-model.ts";
import { endOfTurnThreshold } from "../listening/end-of-turn-threshold.ts";
import type { ProviderParts } from "../providers/provider-parts.ts";
import { WorkerRecogniser } from "../tasks/worker-recogniser.ts";
import type { WorkerTasks } from "../tasks/worker-tasks.ts";
import type { ConversationTask } from "./conversation-task.ts";
import { RoomConversation, type RoomConversationOptions } from "./room-conversation.ts";

/** What the session gives to its conversation. */
export type ConversationInRoom = Omit<RoomConversationOptions, "parts" | "checkpoint">;

export interface StartConversationOptions extends ConversationInRoom {
  task: ConversationTask;
  /** The account's own servers; null without any. */
  providers: ProviderParts | null;
  /** What the worker does for the session: it has the recogniser and the end-of-turn model. */
  tasks: Pick<WorkerTasks, "run">;
}

export async function startConversation({
  task,
  providers,
  tasks,
  ...options
}: StartConversationOptions): Promise<RoomConversation> {
  const { room, job } = options;
  const sessionId = job.avatar_session_id;
  const ownStt = new WorkerRecogniser({ tasks, sessionId });
  const ownLlm = task.llm && new LanguageModel(task.llm);
  const conversation = new RoomConversation({
    ...options,
    parts: {
      stt: providers?.stt(ownStt) ?? ownStt,
      endOfTurn: {
        predict: (samples) => tasks.run("predictTurnEnd", { samples }, sessionId),
        threshold: endOfTurnThreshold,
      },
      llm: providers?.llm ?? ownLlm,
      isProviderLlm: providers?.llm != null,
      realtime: providers?.realtime ?? null,
      headers: { "X-LiveKit-Room-ID": (await room.getSid()) || job.room_name, "X-LiveKit-Job-ID": task.jobId },
    },
    checkpoint: task.checkpoint,
  });
  conversation.start();
  return conversation;
}
