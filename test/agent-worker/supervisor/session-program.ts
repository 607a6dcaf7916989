// A stand-in for the program of avatar sessions: it obeys the agent's name in its job, and names the length of the
// avatar that it got as the sender of its open segment.
//   crash   it dies with an open segment       end   its session ends      stay   it runs until it is told to end
//   linger  its avatar has left, and it does not exit        leave-crash   its avatar has left, and it dies
//   speak   it speaks a sentence, and tells the number of samples as its CPU time, -1 for an error
//   transcribe   it requests a text and waits 50 ms, then whether a turn is over; it tells -408 for a timeout, -500 for
//                a failure
import type { SessionEventBody } from "../../../agent-worker/session/session-event.ts";
import type { MessageFromProcess, MessageToProcess } from "../../../agent-worker/session/session-messages.ts";
import { WorkerRecogniser } from "../../../agent-worker/tasks/worker-recogniser.ts";
import { WorkerTasks } from "../../../agent-worker/tasks/worker-tasks.ts";
import { isEngineError } from "../../../shared/engine-error.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";

const tell = (message: MessageFromProcess): unknown => process.send?.(message);

const tasks = new WorkerTasks({
  send: (request) => tell({ type: "task", request }),
  cancel: (id) => tell({ type: "cancel-task", id }),
});
const close = async (): Promise<void> => undefined;

let sessionId = "";
const tellEvent = (event: SessionEventBody): unknown => tell({ type: "event", event: { ...event, sessionId } });

/** Length of the avatar that it opened ahead; told as its CPU time. */
let openedBytes = 0;

process.on("message", (message: MessageToProcess) => {
  if (message.type === "end") return end(message.reason);
  if (message.type === "task-reply") return tasks.take(message.reply);
  if (message.type === "open") {
    openedBytes = message.avatar.imx.length;
    return;
  }
  const { job, imx, checkpoint } = message.task;
  sessionId = message.task.metadata.avatar_session_id;
  tellEvent({ type: "opened", renderedBy: "runtime" });
  const earlierSeconds = checkpoint?.servedSeconds ?? 0;
  tellEvent({
    type: "checkpoint",
    checkpoint: {
      runtimeToken: `token-${earlierSeconds + 1}`,
      isLive: true,
      servedSeconds: earlierSeconds + 1,
      heartbeatSeq: 1,
      openSegments: [{ sender_identity: `${imx?.length} bytes`, position_ms: 120, interrupted: true }],
      waitingMessages: [],
    },
  });
  tell({ type: "usage", cpuCores: openedBytes });
  const shouldCrash = job.agent_name === "crash" || (job.agent_name === "crash-once" && !checkpoint);
  if (shouldCrash) setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  if (job.agent_name === "linger" || job.agent_name === "leave-crash") {
    tellEvent({ type: "vacancy", isVacant: true });
    tellEvent({ type: "left", reason: "last_user_left" });
  }
  if (job.agent_name === "leave-crash") setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  if (job.agent_name === "end") end("last_user_left");
  if (job.agent_name === "speak") void speak();
  if (job.agent_name === "transcribe") void transcribe();
});
process.on("disconnect", () => process.exit(0));
tell({ type: "ready", hopMs: 0.4 });

async function speak(): Promise<void> {
  let sampleCount = 0;
  try {
    const voice = new EspeakVoice({ speak: (task) => tasks.run("speak", task, sessionId), close });
    for await (const { samples } of voice.synthesize("Hello.")) sampleCount += samples.length;
  } catch {
    sampleCount = -1;
  }
  tell({ type: "usage", cpuCores: sampleCount });
}

async function transcribe(): Promise<void> {
  const recogniser = new WorkerRecogniser({ tasks, sessionId, timeoutMs: 50 });
  const failures = { timeout: -408, "program-failed": -500 } as Partial<Record<string, number>>;
  for (const ask of [
    () => recogniser.transcribe(new Int16Array(160_000), {}),
    () => tasks.run("predictTurnEnd", { samples: new Int16Array(100) }, sessionId),
  ]) {
    const error = await ask().catch((thrown: unknown) => thrown);
    tell({ type: "usage", cpuCores: (isEngineError(error) && failures[error.code]) || 0 });
  }
}

function end(reason: "last_user_left" | string): void {
  tell({ type: "ended", sessionId, reason: reason as "last_user_left" });
  setTimeout(() => process.exit(0), 5);
}
