// The process in which an avatar file is rendered for an agent: its frames are computed and paced without the agent's
// event loop. It ends with its agent.
import type { MessageFromBundle, MessageToBundle } from "./bundle-messages.ts";
import { BundleParticipant } from "./bundle-participant.ts";

/** Longest wait for the room when it ends. */
const LEAVE_TIMEOUT_MS = 3_000;

let participant: Promise<BundleParticipant> | undefined;
let isLeaving = false;

function tell(message: MessageFromBundle): Promise<void> {
  return new Promise((resolve) => {
    // Without its agent, the message goes nowhere.
    if (!process.send?.(message, undefined, undefined, () => resolve())) resolve();
  });
}

const logger = {
  debug: (fields: object, message: string) => void tell({ type: "log", level: "debug", fields, message }),
  warn: (fields: object, message: string) => void tell({ type: "log", level: "warn", fields, message }),
};

async function leave(): Promise<void> {
  if (isLeaving) return;
  isLeaving = true;
  setTimeout(() => process.exit(1), LEAVE_TIMEOUT_MS);
  await participant?.then((joined) => joined.close()).catch(() => undefined); // It ends in any case.
  process.exit(0);
}

process.on("message", (message: MessageToBundle) => {
  if (message.type === "leave") return void leave();
  participant = BundleParticipant.join(message.request, { logger, onEnd: () => process.exit(1) });
  participant.then(
    () => tell({ type: "joined" }),
    async (error: unknown) => {
      await tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
      process.exit(1);
    },
  );
});
process.on("disconnect", () => void leave());
// Its agent decides when it ends: a signal to the whole process group must not end it while the agent says goodbye.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
