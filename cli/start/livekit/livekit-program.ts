// Finds or fetches the livekit-server program: PATH, cache, release download, Go compiler.
import { createHash } from "node:crypto";
import { access, constants, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isAtLeast, LEAST_LIVEKIT_VERSION } from "../../../api/kernel/livekit/livekit-version.ts";
import { withFileLock } from "../processes/file-lock.ts";
import { runCommand } from "../processes/run-command.ts";
import { StartError } from "../start-error.ts";

export interface FindLiveKitOptions {
  dataDir: string;
  /** Receives notes about slow steps. */
  report?: (line: string) => void;
  /** Folder for cached files of this user (`XDG_CACHE_HOME`). Default ~/.cache. */
  cacheDir?: string;
  /** Aborts downloads and the compiler. */
  signal?: AbortSignal;
}

interface Fetching {
  /** Folder to put the program into, and its path there. */
  folder: string;
  target: string;
  report: (line: string) => void;
  signal: AbortSignal | undefined;
}

/** Later versions cannot be compiled with a plain `go install`: their go.mod has replace directives. */
const VERSION = "1.11.0";
const RELEASE_BASE = `https://github.com/livekit/livekit/releases/download/v${VERSION}`;
const MODULE = `github.com/livekit/livekit-server/cmd/server@v${VERSION}`;
const LEAST_GO = "1.24.0";
const CONNECT_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 180_000;
const COMPILE_TIMEOUT_MS = 20 * 60_000;
const REPORT_EVERY_MS = 10_000;

/** Path of a livekit-server program that runs here. Throws StartError that lists every attempt. */
export async function findLiveKitProgram(options: FindLiveKitOptions): Promise<string> {
  const { report = () => {} } = options;
  const tried: string[] = [];
  // Without a folder in its name, the operating system looks the program up on PATH.
  const installed = await readVersion("livekit-server");
  if (installed && isAtLeast(installed.join("."), LEAST_LIVEKIT_VERSION)) return "livekit-server";
  tried.push(
    installed
      ? `livekit-server on PATH is version ${installed.join(".")}; ${LEAST_LIVEKIT_VERSION} or newer is needed`
      : "no working livekit-server on PATH",
  );
  const name = `livekit-server-${VERSION}${process.platform === "win32" ? ".exe" : ""}`;
  const folders = [
    join(options.dataDir, "bin"),
    join(options.cacheDir || join(homedir(), ".cache"), "open-avatar-service", "bin"),
  ];
  const cached = () => findRunnable(folders.map((folder) => join(folder, name)));
  const found = await cached();
  if (found) return found;

  const folder = await firstWritable([...folders].reverse());
  const target = join(folder, name);
  return withFileLock(
    `${target}.lock`,
    {
      timeoutMs: COMPILE_TIMEOUT_MS,
      onWait: (pid) => report(`process ${pid} is fetching livekit-server: waiting for it`),
    },
    async () => {
      const made = await cached();
      if (made) return made;
      const fetching = { folder, target, report, signal: options.signal };
      tried.push(await tryRelease(fetching));
      if (await readVersion(target)) return target;
      tried.push(await tryCompiler(fetching));
      if (await readVersion(target)) return target;
      throw new StartError(
        `No livekit-server (${LEAST_LIVEKIT_VERSION} or newer) was found, and none could be fetched:\n${tried.map((way) => `  - ${way}`).join("\n")}`,
        "Install livekit-server (https://docs.livekit.io/home/self-hosting/local/) or Go 1.24 or newer, or set LIVEKIT_URL.",
      );
    },
  );
}

/** Downloads the release for this platform and checks it against the checksum list of the release. Returns the outcome
 *  as text. */
async function tryRelease({ folder, target, report, signal }: Fetching): Promise<string> {
  const architecture = { x64: "amd64", arm64: "arm64", arm: "armv7" }[process.arch as string];
  if (process.platform !== "linux" || !architecture) {
    return `there is no livekit-server release for ${process.platform} ${process.arch}`;
  }
  const archiveName = `livekit_${VERSION}_linux_${architecture}.tar.gz`;
  const archiveFile = join(folder, `${archiveName}.${process.pid}`);
  try {
    report(`downloading livekit-server ${VERSION}`);
    const sums = (await download(`${RELEASE_BASE}/checksums.txt`, CONNECT_TIMEOUT_MS, signal)).toString("utf8");
    const expected = sums
      .split("\n")
      .find((line) => line.trim().endsWith(archiveName))
      ?.trim()
      .split(/\s+/)[0];
    if (!expected) return `${RELEASE_BASE} has no ${archiveName}`;
    const archive = await download(`${RELEASE_BASE}/${archiveName}`, DOWNLOAD_TIMEOUT_MS, signal);
    const sum = createHash("sha256").update(archive).digest("hex");
    if (sum !== expected) return `${archiveName} arrived damaged (sha256 ${sum}, expected ${expected})`;
    await writeFile(archiveFile, archive);
    const { status, output } = await runCommand("tar", ["-xzf", archiveFile, "-C", folder, "livekit-server"]);
    if (status !== 0) return `${archiveName} cannot be unpacked: ${output.trim()}`;
    await rename(join(folder, "livekit-server"), target);
    return `${archiveName} was downloaded but does not run here`;
  } catch (error) {
    const cause =
      error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
    return `${RELEASE_BASE} cannot be reached (${cause})`;
  } finally {
    await rm(archiveFile, { force: true });
  }
}

async function download(url: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Buffer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Compiles the server with Go, which verifies the module's checksum. Returns the outcome as text. */
async function tryCompiler({ folder, target, report, signal }: Fetching): Promise<string> {
  const { status, output } = await runCommand("go", ["env", "GOVERSION"]);
  const version = /go(\d+)\.(\d+)/.exec(output)?.slice(1).map(Number);
  if (status !== 0 || !version) return "no Go compiler on PATH";
  if (!isAtLeast(`${version.join(".")}.0`, LEAST_GO))
    return `Go ${version.join(".")} is too old (${LEAST_GO} is needed)`;
  report(`compiling livekit-server ${VERSION} with Go ${version.join(".")}: about three minutes on two cores, once`);
  const startedAt = Date.now();
  let moduleCount = 0;
  const timer = setInterval(() => {
    const elapsedS = Math.round((Date.now() - startedAt) / 1000);
    report(`compiling livekit-server: ${elapsedS} s, ${moduleCount} modules fetched`);
  }, REPORT_EVERY_MS);
  try {
    const result = await runCommand(
      "nice",
      // CGO is off as in LiveKit's own releases: no C compiler is needed. GOFLAGS of the environment could select
      // vendoring.
      [
        "-n",
        "5",
        "env",
        `GOBIN=${folder}`,
        "GOFLAGS=",
        "CGO_ENABLED=0",
        "go",
        "install",
        "-buildvcs=false",
        "-ldflags",
        "-s -w",
        MODULE,
      ],
      {
        timeoutMs: COMPILE_TIMEOUT_MS,
        signal,
        onLine: (line) => {
          if (line.startsWith("go: downloading")) moduleCount += 1;
        },
      },
    );
    if (result.status !== 0) return `go install ${MODULE} failed: ${result.output.trim().split("\n").slice(-1)[0]}`;
    // The program is named after its folder in the module.
    await rename(join(folder, process.platform === "win32" ? "server.exe" : "server"), target);
    return "livekit-server was compiled but does not run here";
  } finally {
    clearInterval(timer);
  }
}

async function findRunnable(files: string[]): Promise<string | null> {
  for (const file of files) if ((await isExecutable(file)) && (await readVersion(file))) return file;
  return null;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** `[1, 11, 0]`, or null when the program does not run. */
async function readVersion(file: string): Promise<number[] | null> {
  const { status, output } = await runCommand(file, ["--version"], { timeoutMs: 10_000 });
  const match = /version (\d+)\.(\d+)\.(\d+)/.exec(output);
  return status === 0 && match ? match.slice(1).map(Number) : null;
}

async function firstWritable(folders: string[]): Promise<string> {
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return folder;
    } catch {
      // Service users often have no writable home folder: try the next folder.
    }
  }
  throw new StartError(
    `None of the folders for livekit-server can be written: ${folders.join(", ")}.`,
    "Give this user the right to write to one of them, or put livekit-server on PATH.",
  );
}
