// Starts the conversation of a session: its speech recognition, its language model, and where its turns end.
import { endOfTurnThreshold } from "../listening/end-of-turn-threshold.ts";
import type { ProviderParts } from "../providers/provider-parts.ts";
import { WorkerRecogniser } from "../tasks/worker-recogniser.ts";
import type { WorkerTasks } from "../tasks/worker-tasks.ts";
import { AnsweringModel } from "./answering-model.ts";
import type { ConversationTask } from "./conversation-task.ts";
import { RoomConversation, type RoomConversationOptions } from "./room-conversation.ts";

/** Limit of a search for a language model, ms. */
const FIND_MODEL_MS = 10_000;

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
  const conversation = new RoomConversation({
    ...options,
    parts: {
      stt: providers?.stt(ownStt) ?? ownStt,
      endOfTurn: {
        predict: (samples) => tasks.run("predictTurnEnd", { samples }, sessionId),
        threshold: endOfTurnThreshold,
      },
      model: new AnsweringModel({
        provider: providers?.llm ?? null,
        settings: task.llm,
        find: () => tasks.run("findLanguageModel", {}, sessionId, AbortSignal.timeout(FIND_MODEL_MS)),
        logger: options.logger,
      }),
      realtime: providers?.realtime ?? null,
      headers: { "X-LiveKit-Room-ID": (await room.getSid()) || job.room_name, "X-LiveKit-Job-ID": task.jobId },
    },
    checkpoint: task.checkpoint,
  });
  conversation.start();
  return conversation;
}
