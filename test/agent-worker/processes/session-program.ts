// A stand-in for the program of avatar sessions: it obeys the agent's name in its job, and names the length of the
// avatar that it got as the sender of its open segment.
//   crash   it dies with an open segment       end   its session ends      stay   it serves until it is told to end
//   linger  its avatar has left, and it does not exit        leave-crash   its avatar has left, and it dies
//   speak   it speaks a sentence, and tells the number of samples as its CPU time, -1 for an error
import type { PlayoutReport } from "../../../agent-worker/playout/playout-metrics.ts";
import type { MessageFromProcess, MessageToProcess } from "../../../agent-worker/session/session-messages.ts";
import { WorkerSynthesizer } from "../../../agent-worker/session/worker-synthesizer.ts";
import type { SentenceTask, SpokenSamples } from "../../../src/voice/espeak-messages.ts";
import { EspeakVoice } from "../../../src/voice/espeak-voice.ts";

const tell = (message: MessageFromProcess): unknown => process.send?.(message);

const synthesizer = new WorkerSynthesizer<SentenceTask, SpokenSamples>((id, task) => tell({ type: "speak", id, task }));

/** Length of the avatar that it opened ahead; told as its CPU time. */
let openedBytes = 0;

process.on("message", (message: MessageToProcess) => {
  if (message.type === "end") return end(message.reason);
  if (message.type === "spoken") return synthesizer.take(message.reply);
  if (message.type === "piece" || message.type === "turn-end") return;
  if (message.type === "open") {
    openedBytes = message.avatar.imx.length;
    return;
  }
  const { job, imx, checkpoint } = message.task;
  tell({ type: "opened", renderedBy: "runtime" });
  const earlierSeconds = checkpoint?.servedSeconds ?? 0;
  tell({
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
  tell({ type: "playout", report: {} as PlayoutReport, cpuCores: openedBytes });
  const shouldCrash = job.agent_name === "crash" || (job.agent_name === "crash-once" && !checkpoint);
  if (shouldCrash) setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  if (job.agent_name === "linger" || job.agent_name === "leave-crash") {
    tell({ type: "vacancy", isVacant: true });
    tell({ type: "left", reason: "last_user_left" });
  }
  if (job.agent_name === "leave-crash") setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  if (job.agent_name === "end") end("last_user_left");
  if (job.agent_name === "speak") void speak();
});
process.on("disconnect", () => process.exit(0));
tell({ type: "ready", hopMs: 0.4 });

async function speak(): Promise<void> {
  let sampleCount = 0;
  try {
    for await (const { samples } of new EspeakVoice(synthesizer).synthesize("Hello.")) sampleCount += samples.length;
  } catch {
    sampleCount = -1;
  }
  tell({ type: "playout", report: {} as PlayoutReport, cpuCores: sampleCount });
}

function end(reason: "last_user_left" | string): void {
  tell({ type: "ended", reason: reason as "last_user_left" });
  setTimeout(() => process.exit(0), 5);
}
