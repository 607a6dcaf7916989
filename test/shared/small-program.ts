// A program for the tests of `runProgram`. Its argument says what it does.
import { setTimeout as delay } from "node:timers/promises";
import { ConfigError } from "../../program/config.ts";
import { runProgram } from "../../program/run-program.ts";

const does = process.argv[2];

await runProgram({
  name: "small",
  parts: ["relay", "log"],
  endsOnException: does?.startsWith("throws"),
  failedCloseMs: 200,
  async start({ relay }, { end }) {
    if (does === "refuses") throw new ConfigError(["SMALL: is wrong"]);
    if (does === "breaks") throw new Error("broken at start");
    if (does?.startsWith("throws")) {
      setTimeout(() => Promise.reject(new Error("rejected")));
      setTimeout(() => {
        throw new Error("thrown");
      }, 100);
    }
    process.on("message", (reason: string) => end(reason, 7));
    // Only then signals are handled.
    setImmediate(() => process.send?.("started"));
    return {
      drainMs: relay.drainMs,
      async drain(limitMs) {
        process.send?.(`drain ${limitMs}`);
        if (does === "drains for ever") await delay(60_000);
      },
      async close() {
        process.send?.("close");
        if (does === "cannot close") throw new Error("stuck");
        if (does === "throws and does not close") await delay(60_000);
      },
    };
  },
});
