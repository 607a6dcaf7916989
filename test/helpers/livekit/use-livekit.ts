// The shared livekit-server for a test file.
import { randomUUID } from "node:crypto";
import t from "tap";
import { disposeRtc } from "./dispose-rtc.ts";
import { acquireLiveKit, type LiveKitAddress } from "./shared-livekit.ts";

export interface LiveKitAccess extends LiveKitAddress {
  /** Name under which a test's avatar workers register, so that on the shared server they accept only sessions of their
   *  own test. */
  dispatchName: string;
}

let server: Promise<LiveKitAccess> | null = null;

/** Its address and a dispatch name of this process, from the first call to the end of the process. */
export function useLiveKit(): Promise<LiveKitAccess> {
  server ??= acquireLiveKit().then(({ access, release }) => {
    t.teardown(async () => {
      await release();
      await disposeRtc();
    });
    return { ...access, dispatchName: `test-${randomUUID()}` };
  });
  return server;
}
