// The avatar that a command was given: a file, the slug of a sample, or the code of an agent.
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { CliError, toCliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { readInput } from "../../terminal/read-input.ts";

export interface ReadAvatar {
  /** An `.imx` bundle or an image; not checked. */
  bytes: Uint8Array;
  /** For people: the file's name without its ending, or the name that was given. */
  name: string;
}

export interface ReadAvatarOptions {
  environment: Environment;
  signal: AbortSignal;
  /** Shows nothing while a file is fetched. */
  isQuiet: boolean;
}

/** A file of this name wins. Throws CliError no_input if there is neither a file nor an avatar of this name, and as
 *  `pullModel` does. */
export async function readAvatar(avatar: string, options: ReadAvatarOptions): Promise<ReadAvatar> {
  const isFile = await stat(avatar).then(
    () => true,
    () => false,
  );
  const { isAvatarName } = await import("./avatar-name.ts");
  if (isFile || !isAvatarName(avatar)) {
    return { bytes: await readInput(avatar), name: basename(avatar, extname(avatar)) };
  }
  const { environment, signal, isQuiet } = options;
  const [{ pullModel }, { showPull }] = await Promise.all([import("./pull-model.ts"), import("./show-pull.ts")]);
  const status = showPull(avatar, isQuiet);
  try {
    const { path } = await pullModel(avatar, { environment, signal, ...status });
    return { bytes: await readInput(path), name: avatar };
  } catch (error) {
    signal.throwIfAborted();
    const { kind, message, code, hint } = toCliError(error);
    if (kind === "internal") throw error;
    throw new CliError(kind, `There is no file ${avatar}, and it was not found as a sample or an agent. ${message}`, {
      code,
      hint,
      cause: error,
    });
  } finally {
    status.end();
  }
}
