// A real S3-compatible server (versitygw) on loopback, with one empty bucket. It comes from the PATH, or from this
// user's cache, into which Go compiles it, as for the embedded LiveKit server.
import { access, constants, mkdir, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { withFileLock } from "../../../cli/start/processes/file-lock.ts";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import { FleetProcess } from "./fleet-process.ts";

export interface S3Access {
  /** `http://127.0.0.1:…` */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3ServerOptions {
  /** Result of `findS3Program`. */
  program: string;
  /** Objects, their metadata and the log go here. */
  folder: string;
  environment: NodeJS.ProcessEnv;
}

const VERSION = "v1.8.0";
const MODULE = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`;
const COMPILE_TIMEOUT_MS = 20 * 60_000;
const READY_TIMEOUT_MS = 60_000;
/** Why there is no server, and what to do. */
export const S3_MISSING = `no S3 server: put versitygw on the PATH, or install Go to have it compiled (go install ${MODULE})`;

/** Path of the server's program, or null if it is neither installed nor can be compiled. `environment`: like
 *  `process.env`. */
export async function findS3Program(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const cache = join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "open-avatar-service", "bin");
  const target = join(cache, `versitygw-${VERSION}`);
  const installed = (environment.PATH ?? "").split(delimiter).map((folder) => join(folder, "versitygw"));
  for (const file of [...installed, target]) if (await isExecutable(file)) return file;
  if ((await runCommand("go", ["env", "GOVERSION"])).status !== 0) return null;
  await mkdir(cache, { recursive: true });
  return withFileLock(`${target}.lock`, { timeoutMs: COMPILE_TIMEOUT_MS }, async () => {
    if (await isExecutable(target)) return target;
    const { status } = await runCommand("go", ["install", "-buildvcs=false", "-ldflags", "-s -w", MODULE], {
      env: { ...environment, GOBIN: cache, GOFLAGS: "", CGO_ENABLED: "0" },
      timeoutMs: COMPILE_TIMEOUT_MS,
    });
    if (status !== 0) return null;
    await rename(join(cache, "versitygw"), target);
    return target;
  });
}

/** Starts the server on a free port. `close` kills it. */
export async function startS3Server(options: S3ServerOptions): Promise<S3Access & { close(): Promise<void> }> {
  const { program, folder, environment } = options;
  const [objects, metadata] = [join(folder, "s3-objects"), join(folder, "s3-metadata")];
  await mkdir(join(objects, "avatars"), { recursive: true });
  // Metadata beside the data, because not every file system of a test machine has extended attributes.
  await mkdir(metadata);
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKeyId: "test-access", secretAccessKey: "test-secret-of-the-bucket" };
  const server = await FleetProcess.start(
    {
      name: "the S3 server",
      file: program,
      args: ["--port", `127.0.0.1:${port}`, "posix", "--sidecar", metadata, objects],
      environment: { ...environment, ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
      logFile: join(folder, "s3.log"),
    },
    () => fetch(endpoint).then(() => true),
    READY_TIMEOUT_MS,
  );
  return { endpoint, bucket: "avatars", region: "us-east-1", ...keys, close: () => server.kill() };
}

/** Settings with which the api uses the bucket. */
export function s3Settings({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Access) {
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
