// The livekit-server that test files share.
import { startLiveKitServer } from "../../../cli/start/livekit/livekit-server.ts";
import { acquireServer, type SharedServer } from "../servers/shared-server.ts";

export const LIVEKIT = "livekit";

export interface LiveKitAddress {
  /** `ws://127.0.0.1:…` */
  url: string;
  apiKey: string;
  apiSecret: string;
}

/** Starts or adopts it; `report` is told when it must be fetched first. */
export function acquireLiveKit(report?: (line: string) => void): Promise<SharedServer<LiveKitAddress>> {
  return acquireServer(LIVEKIT, async (dataDir) => {
    const { url, apiKey, apiSecret, stop } = await startLiveKitServer({ dataDir, report });
    return { access: { url, apiKey, apiSecret }, stop };
  });
}
