// Ends the native part of rtc-node, which otherwise keeps a process alive.
import { setTimeout as delay } from "node:timers/promises";
import { dispose } from "@livekit/rtc-node";

/** Its end may never come: https://github.com/livekit/agents-js/issues/1905. */
const DISPOSE_MS = 10_000;
/** What has been written until then is read. */
const LAST_OUTPUT_MS = 1_000;

/** Call it when nothing uses rtc-node any more. If it does not end in time, the process ends without it. */
export async function disposeRtc(): Promise<void> {
  const hasEnded = await Promise.race([dispose().then(() => true), delay(DISPOSE_MS, false, { ref: false })]);
  if (hasEnded) return;
  process.stderr.write(`rtc-node was not disposed within ${DISPOSE_MS} ms\n`);
  setTimeout(() => process.exit(), LAST_OUTPUT_MS);
}
