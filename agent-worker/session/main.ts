// The program of avatar sessions. Its worker starts it ahead of time, gives it one session, or several that viewers
// render, and learns from their checkpoints what the next process needs if this one dies. The worker says when it
// exits; without a worker it exits when its sessions have ended.
import { parseConfig } from "../../program/config.ts";
import { createLogger } from "../../program/log.ts";
import { logUncaught } from "../../program/log-uncaught.ts";
import { prepareProcess } from "./prepare-process.ts";
import { SessionHost } from "./session-host.ts";
import type { MessageFromProcess, MessageToProcess } from "./session-messages.ts";

/** Sends a message to the worker. Does nothing once the worker is gone. */
function tellWorker(message: MessageFromProcess): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Native libraries keep the event loop alive. */
function exit(): void {
  setImmediate(() => process.exit(0));
}

function take(message: MessageToProcess, host: SessionHost): void {
  switch (message.type) {
    case "open":
      void host.openAhead(message.avatar);
      return;
    case "run":
      void host.run(message.task);
      return;
    case "end":
      host.end(message.sessionId, message.reason);
      return;
    case "task-reply":
      host.tasksOf(message.sessionId)?.take(message.reply);
      return;
    case "leave":
      exit();
  }
}

async function main(): Promise<void> {
  // The worker decides when its sessions end: a signal to the whole process group must not end them before.
  process.on("SIGTERM", () => undefined);
  process.on("SIGINT", () => undefined);
  // The worker gives the sessions to other processes.
  const { log } = parseConfig(process.env, ["log"]);
  logUncaught(createLogger({ ...log, name: "session" }), () => process.exit(1));
  const prepared = prepareProcess(process.env);
  const onEmpty = (): void => {
    if (!process.connected) exit();
  };
  const host = new SessionHost({ prepared, tellWorker, onEmpty });
  process.on("message", (message: MessageToProcess) => take(message, host));
  process.on("disconnect", () => {
    if (host.isEmpty) process.exit(0);
    // The worker died. The sessions move to another one.
    host.endAll("worker_draining");
  });
  const { hopMs } = await prepared;
  tellWorker({ type: "ready", hopMs });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
