// Gives commands a running service: the one on the data folder, or a new one for the duration of the command.
import { join, resolve } from "node:path";
import { parseConfig } from "../../../program/config.ts";
import { ServiceClient } from "../../service/service-client.ts";
import { readEnvFile } from "../env-file.ts";
import { knownLiveKit } from "../livekit/known-livekit.ts";
import { findRunningService, findServiceChild } from "../processes/service-record.ts";
import type { Progress } from "../progress.ts";
import { StartError } from "../start-error.ts";
import type { LiveKitAddress } from "./given-servers.ts";
import { Service } from "./service.ts";

export interface ServiceAccess {
  client: ServiceClient;
  livekit: LiveKitAddress;
  /** Parent process of the avatar sessions on this machine. */
  workerPid: number | null;
  /** Stops the service if this call started it. Idempotent. */
  close(): Promise<void>;
}

export interface ServiceAccessOptions {
  environment: Record<string, string | undefined>;
  progress: Progress;
}

/** Finds or starts the service. Throws StartError when neither is possible. */
export async function openService({ environment, progress }: ServiceAccessOptions): Promise<ServiceAccess> {
  const config = parseConfig(environment, ["disk", "operator", "livekit"]);
  const dataDir = resolve(config.disk.dataDir);
  const running = await findRunningService(dataDir);
  if (!running) {
    const service = new Service({ environment, progress });
    const { client, livekit, workerPid } = await service.start();
    return { client, livekit, workerPid, close: () => service.close() };
  }
  progress.note(`using the service at ${running}`);
  const operator = await readEnvFile(join(dataDir, "operator.env"));
  const apiSecret = config.operator.secret ?? operator.AVATAR_OPERATOR_SECRET;
  if (!apiSecret) {
    throw new StartError(
      "The service runs, but the operator's API secret is unknown.",
      "Set AVATAR_OPERATOR_SECRET to the value that the service was started with.",
    );
  }
  const livekit = await knownLiveKit(config);
  if (!livekit) {
    throw new StartError(
      "The service runs, but its LiveKit server is unknown.",
      "Set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET as the service has them.",
    );
  }
  return {
    client: new ServiceClient({ baseUrl: running, apiSecret }),
    livekit,
    workerPid: await findServiceChild(dataDir, "worker"),
    close: async () => {},
  };
}
