// A real S3-compatible server (versitygw) on a free port, for the duration of a callback. It comes from the PATH, or
// from this user's cache, into which Go compiles it, as for the tests' livekit-server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { withFileLock } from "../../cli/start/file-lock.ts";
import { findFreePort } from "../../cli/start/free-port.ts";
import { runProgram } from "../../cli/start/run-program.ts";
import { waitFor } from "./wait-for.ts";

export interface S3Access {
  /** `http://127.0.0.1:…` */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const VERSION = "v1.8.0";
const MODULE = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`;
const COMPILE_TIMEOUT_MS = 20 * 60_000;
/** Reason of a test that is skipped because the server is not available. */
export const S3_MISSING = `no S3 server: put versitygw on the PATH, or install Go to have it compiled (go install ${MODULE})`;

/** Path of the server's program, or null if it is neither installed nor can be compiled. */
export async function findS3Program(): Promise<string | null> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "open-avatar-service", "bin");
  const target = join(cache, `versitygw-${VERSION}`);
  const installed = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "versitygw"));
  for (const file of [...installed, target]) if (await isExecutable(file)) return file;
  if ((await runProgram("go", ["env", "GOVERSION"])).status !== 0) return null;
  await mkdir(cache, { recursive: true });
  return withFileLock(`${target}.lock`, { timeoutMs: COMPILE_TIMEOUT_MS }, async () => {
    if (await isExecutable(target)) return target;
    const { status } = await runProgram("go", ["install", "-buildvcs=false", "-ldflags", "-s -w", MODULE], {
      env: { ...process.env, GOBIN: cache, GOFLAGS: "", CGO_ENABLED: "0" },
      timeoutMs: COMPILE_TIMEOUT_MS,
    });
    if (status !== 0) return null;
    await rename(join(cache, "versitygw"), target);
    return target;
  });
}

/** Gives `work` a server with one empty bucket and takes both down afterwards. */
export async function withS3Server<T>(program: string, work: (server: S3Access) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-s3-"));
  await mkdir(join(folder, "data", "avatars"), { recursive: true });
  // Metadata beside the data, because not every file system of a test machine has extended attributes.
  await mkdir(join(folder, "metadata"));
  const port = await findFreePort();
  const keys = { accessKeyId: "test-access", secretAccessKey: "test-secret-of-the-bucket" };
  const child = spawn(
    program,
    ["--port", `127.0.0.1:${port}`, "posix", "--sidecar", join(folder, "metadata"), join(folder, "data")],
    {
      stdio: "ignore",
      env: { PATH: process.env.PATH, ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
    },
  );
  try {
    const endpoint = `http://127.0.0.1:${port}`;
    const answers = () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      );
    await waitFor(answers, "the S3 server", 60_000);
    return await work({ endpoint, bucket: "avatars", region: "us-east-1", ...keys });
  } finally {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  }
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
