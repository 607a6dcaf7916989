// A second livekit-server, for tests in which the caller's media server is not the service's own.
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLiveKitServer } from "../../cli/start/livekit-server.ts";
import type { LiveKitAccess } from "./use-livekit.ts";

/** Runs `work` with a server that no other test uses, and stops it afterwards. */
export async function withOwnLiveKit<T>(work: (access: LiveKitAccess) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-livekit-"));
  await chmod(dataDir, 0o755);
  const server = await startLiveKitServer({ dataDir });
  const { url, apiKey, apiSecret } = server;
  try {
    return await work({ url, apiKey, apiSecret, dispatchName: `test-${randomUUID()}` });
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
