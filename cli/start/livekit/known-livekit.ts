// The LiveKit server that a running service uses, for commands beside it.
import { join, resolve } from "node:path";
import type { Config } from "../../../program/config.ts";
import { readEnvFile } from "../env-file.ts";
import type { LiveKitAddress } from "../service/given-servers.ts";

/** From the settings, or from `livekit.env`, which the start command writes into the data folder. Undefined if neither
 *  has all of it. */
export async function knownLiveKit({
  disk,
  livekit,
}: Pick<Config, "disk" | "livekit">): Promise<LiveKitAddress | undefined> {
  const kept = await readEnvFile(join(resolve(disk.dataDir), "livekit.env"));
  const url = livekit.url ?? kept.LIVEKIT_URL;
  const apiKey = livekit.apiKey ?? kept.LIVEKIT_API_KEY;
  const apiSecret = livekit.apiSecret ?? kept.LIVEKIT_API_SECRET;
  return url && apiKey && apiSecret ? { url, apiKey, apiSecret } : undefined;
}
