// The shared livekit-server for a test file.
import { randomUUID } from "node:crypto";
import { dispose } from "@livekit/rtc-node";
import t from "tap";
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
      // The native part of rtc-node keeps a process alive until it is disposed.
      await dispose();
    });
    return { ...access, dispatchName: `test-${randomUUID()}` };
  });
  return server;
}
