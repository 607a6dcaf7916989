// A livekit-server of one test's own, for tests that play the avatar worker: on the shared one, a real worker of another test
// could take their dispatches.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLiveKitServer } from "../../cli/start/livekit-server.ts";
import type { LiveKitAccess } from "./shared-servers.ts";

/** Gives `work` a server that nobody else knows, and stops it afterwards. */
export async function withOwnLiveKit<T>(work: (access: LiveKitAccess) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-livekit-"));
  await chmod(dataDir, 0o755);
  const server = await startLiveKitServer({ dataDir });
  try {
    return await work(server);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
