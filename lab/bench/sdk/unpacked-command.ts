// The command `avatar` of its archive, unpacked beside the packages of the repository.
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Progress } from "../../../cli/start/progress.ts";
import { buildCommand, type PackedCommand } from "../../packages/command/build-command.ts";
import { ROOT } from "../../packages/source-package.ts";

export interface UnpackedCommand {
  packed: PackedCommand;
  /** Where the archive is unpacked, and what else is needed may lie. */
  folder: string;
  /** Of the command. */
  script: string;
}

/** Gives `work` the command; its folder is deleted afterwards. Throws what the archive's build throws. */
export async function withUnpackedCommand<T>(
  progress: Progress,
  work: (command: UnpackedCommand) => Promise<T>,
): Promise<T> {
  const packed = await buildCommand(progress);
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-command-"));
  try {
    await promisify(execFile)("tar", ["-xzf", packed.command.archive, "-C", folder]);
    const root = join(folder, "package");
    await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
    return await work({ packed, folder, script: join(root, "dist", "avatar.mjs") });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
