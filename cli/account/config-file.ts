// The file that holds who is signed in at which service. It has secrets: only its owner may read it.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { withFileLock } from "../start/processes/file-lock.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { Environment } from "../terminal/environment.ts";

const signInSchema = z.object({
  api_secret: z.string().min(1),
  /** Of a secret that `login` has fetched for this computer; null for one that was pasted. */
  alias: z.string().nullable(),
  user_id: z.string(),
  email: z.string(),
});

const configSchema = z.object({
  version: z.literal(1),
  /** Address of the service that commands call; null if there is no sign-in. */
  current: z.string().nullable(),
  /** By address, without a trailing slash. */
  services: z.record(z.string(), signInSchema),
});

/** A sign-in at one service. */
export type SignIn = z.infer<typeof signInSchema>;
export type CliConfig = z.infer<typeof configSchema>;

const LOCK_TIMEOUT_MS = 10_000;
/** Bits of a mode that let others than the owner in. */
const OTHERS = 0o077;

/** `AVATAR_CONFIG_FILE`, else `open-avatar/credentials.json` in the platform's folder for settings. */
export function configPath(environment: Environment): string {
  const { AVATAR_CONFIG_FILE, XDG_CONFIG_HOME, APPDATA, HOME } = environment;
  if (AVATAR_CONFIG_FILE) return AVATAR_CONFIG_FILE;
  const own = process.platform === "win32" ? APPDATA : undefined;
  return join(XDG_CONFIG_HOME || own || join(HOME || homedir(), ".config"), "open-avatar", "credentials.json");
}

/** The file's content, or an empty one if there is no file. Throws CliError if it cannot be read, is broken, or others
 *  than its owner may read it. */
export async function readConfig(environment: Environment): Promise<CliConfig> {
  const path = configPath(environment);
  let text: string;
  try {
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & OTHERS) !== 0) throw readableByOthers(path, mode);
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { version: 1, current: null, services: {} };
    throw new CliError("no_permission", `${path} cannot be read (${code}).`, { code: "CONFIG_FILE", cause: error });
  }
  const parsed = configSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CliError("no_permission", `${path} is not a file that this program has written.`, {
    code: "CONFIG_FILE",
    hint: "Remove it and run avatar login, or name another file with AVATAR_CONFIG_FILE.",
  });
}

/** Changes the file: `change` gets its content and returns the new one. One process at a time does so, and no reader
 *  sees half of a file. Throws CliError as `readConfig` does, and if the file cannot be written. */
export async function changeConfig<T>(
  environment: Environment,
  change: (config: CliConfig) => { config: CliConfig; result: T },
): Promise<T> {
  const path = configPath(environment);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await withFileLock(`${path}.lock`, { timeoutMs: LOCK_TIMEOUT_MS }, async () => {
      const { config, result } = change(await readConfig(environment));
      await replaceFile(path, `${JSON.stringify(config, null, 2)}\n`);
      return result;
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError("no_permission", `${path} cannot be written (${code ?? message}).`, {
      code: "CONFIG_FILE",
      hint: "AVATAR_CONFIG_FILE names another file; AVATAR_API_URL and AVATAR_API_SECRET need no file.",
      cause: error,
    });
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  // A link to the file stays a link.
  const target = await realpath(path).catch(() => path);
  const partial = `${target}.${randomUUID()}.partial`;
  try {
    await writeFile(partial, text, { mode: 0o600, flag: "wx" });
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function readableByOthers(path: string, mode: number): CliError {
  const shown = (mode & 0o777).toString(8).padStart(4, "0");
  return new CliError("no_permission", `Others may read ${path}, which holds API secrets (mode ${shown}).`, {
    code: "CONFIG_FILE_OPEN",
    hint: `chmod 600 ${/^[\w./-]+$/.test(path) ? path : `'${path}'`} closes it. If others have read it, sign in again.`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
