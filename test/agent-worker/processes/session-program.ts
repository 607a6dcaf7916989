// A stand-in for the program of avatar sessions: it obeys the metadata of its task.
//   crash   it dies with an open segment       end   its session ends      stay   it serves until it is told to end
import type { MessageFromProcess, MessageToProcess } from "../../../agent-worker/session/session-messages.ts";

const tell = (message: MessageFromProcess): unknown => process.send?.(message);

process.on("message", (message: MessageToProcess) => {
  if (message.type === "end") return end(message.reason);
  const { metadata, checkpoint } = message.task;
  const earlierSeconds = checkpoint?.servedSeconds ?? 0;
  tell({
    type: "checkpoint",
    checkpoint: {
      runtimeToken: `token-${earlierSeconds + 1}`,
      isLive: true,
      servedSeconds: earlierSeconds + 1,
      heartbeatSeq: 1,
      openSegments: [{ sender_identity: "agent", position_ms: 120, interrupted: true }],
    },
  });
  const shouldCrash = metadata.runtime_token === "crash" || (metadata.runtime_token === "crash-once" && !checkpoint);
  if (shouldCrash) setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  if (metadata.runtime_token === "end") end("last_user_left");
});
process.on("disconnect", () => process.exit(0));
tell({ type: "ready", hopMs: 0.4 });

function end(reason: "last_user_left" | string): void {
  tell({ type: "ended", reason: reason as "last_user_left" });
  setTimeout(() => process.exit(0), 5);
}
