// A stand-in for the program of avatar sessions: each session obeys the agent's name in its job, and names the length
// of the avatar that it got as the sender of its open segment.
//   crash   it dies with an open segment       end   its session ends      stay   it runs until it is told to end
//   linger  its avatar has left, and it does not exit        leave-crash   its avatar has left, and it dies
//   speak   it speaks a sentence, and tells the number of samples as its CPU time, -1 for an error
//   fail   it fails before it begins      stuck   it does not end
//   video  it renders video
//   transcribe   it requests a text and waits 50 ms, then whether a turn is over; it tells -408 for a timeout, -500 for
//                a failure
import type { SessionEventBody } from "../../../agent-worker/session/session-event.ts";
import type {
  MessageFromProcess,
  MessageToProcess,
  SessionTask,
} from "../../../agent-worker/session/session-messages.ts";
import { WorkerRecogniser } from "../../../agent-worker/tasks/worker-recogniser.ts";
import { WorkerTasks } from "../../../agent-worker/tasks/worker-tasks.ts";
import { isEngineError } from "../../../shared/engine-error.ts";
import type { EndReason } from "../../../shared/runtime-api.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";

const tell = (message: MessageFromProcess): unknown => process.send?.(message);
const close = async (): Promise<void> => undefined;

/** What the agent of each session does. */
const sessions = new Map<string, { does: string; tasks: WorkerTasks }>();
/** Length of the avatar that it opened ahead; told as its CPU time. */
let openedBytes = 0;

process.on("message", (message: MessageToProcess) => {
  if (message.type === "end") end(message.sessionId, message.reason);
  else if (message.type === "task-reply") sessions.get(message.sessionId)?.tasks.take(message.reply);
  else if (message.type === "open") openedBytes = message.avatar.imx.length;
  else if (message.type === "leave") process.exit(0);
  else run(message.task);
});
process.on("disconnect", () => process.exit(0));
tell({ type: "ready", hopMs: 0.4 });

function run({ metadata, job, imx, checkpoint }: SessionTask): void {
  const sessionId = metadata.avatar_session_id;
  const tellEvent = (event: SessionEventBody): unknown => tell({ type: "event", event: { ...event, sessionId } });
  const tasks = new WorkerTasks({
    send: (request) => tell({ type: "task", request }),
    cancel: (id) => tell({ type: "cancel-task", sessionId, id }),
  });
  const does = job.agent_name;
  sessions.set(sessionId, { does, tasks });
  if (does === "fail") {
    tell({ type: "failed", sessionId });
    return;
  }
  tellEvent({ type: "opened", renderedBy: "runtime" });
  const earlierSeconds = checkpoint?.servedSeconds ?? 0;
  const tellCheckpoint = () =>
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
  tellCheckpoint();
  tellUsage(sessionId, openedBytes);
  const shouldCrash = does === "crash" || (does === "crash-once" && !checkpoint);
  if (shouldCrash) setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  if (does === "linger" || does === "leave-crash") {
    tellEvent({ type: "vacancy", isVacant: true });
    tellEvent({ type: "left", reason: "last_user_left" });
  }
  if (does === "leave-crash") setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  if (does === "end") end(sessionId, "last_user_left");
  if (does === "speak") void speak(sessionId, tasks);
  if (does === "transcribe") void transcribe(sessionId, tasks);
  if (does === "video") tellEvent({ type: "video", isRendered: true });
}

function tellUsage(sessionId: string, cpuCores: number): void {
  tell({ type: "usage", sessionId, cpuCores, isLight: false });
}

async function speak(sessionId: string, tasks: WorkerTasks): Promise<void> {
  let sampleCount = 0;
  try {
    const voice = new EspeakVoice({ speak: (task) => tasks.run("speak", task, sessionId), close });
    for await (const { samples } of voice.synthesize("Hello.")) sampleCount += samples.length;
  } catch {
    sampleCount = -1;
  }
  tellUsage(sessionId, sampleCount);
}

async function transcribe(sessionId: string, tasks: WorkerTasks): Promise<void> {
  const recogniser = new WorkerRecogniser({ tasks, sessionId, timeoutMs: 50 });
  const failures = { timeout: -408, "program-failed": -500 } as Partial<Record<string, number>>;
  for (const ask of [
    () => recogniser.transcribe(new Int16Array(160_000), {}),
    () => tasks.run("predictTurnEnd", { samples: new Int16Array(100) }, sessionId),
  ]) {
    const error = await ask().catch((thrown: unknown) => thrown);
    tellUsage(sessionId, (isEngineError(error) && failures[error.code]) || 0);
  }
}

function end(sessionId: string, reason: EndReason): void {
  if (sessions.get(sessionId)?.does !== "stuck") tell({ type: "ended", sessionId, reason });
}
