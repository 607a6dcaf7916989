// A real S3-compatible server with one empty bucket, for the duration of a callback.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findS3Program as find, type S3Access, startS3Server } from "../../../lab/bench/fleet/s3-server.ts";

export type { S3Access } from "../../../lab/bench/fleet/s3-server.ts";
/** Reason of a test that is skipped because the server is not available. */
export { S3_MISSING } from "../../../lab/bench/fleet/s3-server.ts";

/** Path of the server's program, or null if it is neither installed nor can be compiled. */
export function findS3Program(): Promise<string | null> {
  return find(process.env);
}

/** Gives `work` a server and takes it down afterwards. */
export async function withS3Server<T>(program: string, work: (server: S3Access) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-s3-"));
  try {
    const { close, ...server } = await startS3Server({ program, folder, environment: { PATH: process.env.PATH } });
    try {
      return await work(server);
    } finally {
      await close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
