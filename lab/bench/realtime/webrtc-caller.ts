// A caller over WebRTC, in a process of its own.
import type { ChildProcess } from "node:child_process";
import { toSharedMs } from "../clients/shared-clock.ts";
import { endHelper, firstMessage, startHelper } from "./helper-process.ts";
import type { CallerCommand, CallerReport } from "./webrtc-caller-process.ts";

/** Of what it says. */
export const CALLER_RATE_HZ = 48_000;

export class WebRtcCaller {
  readonly #child: ChildProcess;
  readonly #soundsMs: number[] = [];
  #whenSaid: ((times: { startMs: number; endMs: number }) => void) | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    const offsetMs = toSharedMs(0);
    child.on("message", (report: CallerReport) => {
      if (typeof report !== "object") return;
      if ("soundAtMs" in report) this.#soundsMs.push(report.soundAtMs - offsetMs);
      else if ("endMs" in report) {
        this.#whenSaid?.({ startMs: report.startMs - offsetMs, endMs: report.endMs - offsetMs });
      }
    });
  }

  /** Calls. `url`: `http://…/v1/realtime/connect?model=…`. Throws Error if the call is refused. */
  static async call(url: string, headers: Record<string, string>): Promise<WebRtcCaller> {
    const module = new URL("./webrtc-caller-process.ts", import.meta.url);
    const child = startHelper(module, [url, JSON.stringify(headers)]);
    const caller = new WebRtcCaller(child);
    const report = await firstMessage<CallerReport>(child);
    if (report === "connected") return caller;
    await caller.close();
    throw new Error(`no call over WebRTC: ${JSON.stringify(report)}`);
  }

  /** Speaks into the microphone in real time. `samples`: mono at 48 kHz. Resolves with the times at which the first and
   *  the last 10 ms left it, ms of `performance.now`. */
  say(samples: Int16Array): Promise<{ startMs: number; endMs: number }> {
    const command: CallerCommand = { say: samples };
    this.#child.send(command);
    return new Promise((resolve) => {
      this.#whenSaid = resolve;
    });
  }

  /** When sound was first heard at `sinceMs` or later, and when last; undefined if it was not. */
  firstSoundSince(sinceMs: number): number | undefined {
    return this.#soundsMs.find((atMs) => atMs >= sinceMs);
  }

  get lastSoundMs(): number | undefined {
    return this.#soundsMs.at(-1);
  }

  /** Idempotent. */
  close(): Promise<void> {
    return endHelper(this.#child);
  }
}
