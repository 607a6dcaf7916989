// A second livekit-server, for tests in which the caller's media server is not the service's own.
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLiveKitServer } from "../../../cli/start/livekit/livekit-server.ts";
import type { LiveKitAccess } from "./use-livekit.ts";

export interface OwnLiveKit extends LiveKitAccess {
  /** Kills the server and starts it again at the same address. */
  restart(): Promise<void>;
}

/** Runs `work` with a server that no other test uses, and stops it afterwards. */
export async function withOwnLiveKit<T>(work: (access: OwnLiveKit) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-livekit-"));
  await chmod(dataDir, 0o755);
  let server = await startLiveKitServer({ dataDir });
  const restart = async () => {
    const { pid } = JSON.parse(await readFile(join(dataDir, "livekit.process.json"), "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    server = await startLiveKitServer({ dataDir });
    if (server.url !== url) throw new Error("the server's port was taken meanwhile");
  };
  const { url, apiKey, apiSecret } = server;
  try {
    return await work({ url, apiKey, apiSecret, dispatchName: `test-${randomUUID()}`, restart });
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
