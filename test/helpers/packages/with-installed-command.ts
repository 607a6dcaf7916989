// The command `avatar`, from its archive, in a folder where nothing of the repository is.
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PackedArchive, readCommandNote } from "../../../lab/packages/command/command-note.ts";
import type { PartName } from "../../../program/parts/parts.ts";
import { packCommand } from "../../run/pack-packages.ts";
import { areProgramsBuilt } from "../service/built-programs.ts";
import { PackedProject } from "./packed-project.ts";

export const COMMAND_FILE = "node_modules/@open-avatar/cli/dist/avatar.mjs";

export interface InstalledCommand {
  project: PackedProject;
  archive: PackedArchive;
  /** Of its package.json. */
  manifest: { dependencies: Record<string, string>; optionalDependencies: Record<string, string> };
  /** Links the packages that it depends on to those of the repository, which is quicker than to install them; the
   *  optional ones only on demand, as npm does with `--omit=optional`. */
  linkDependencies(options: { optional: boolean }): Promise<void>;
  /** Puts the archive of a part beside it, as npm would. */
  installPart(part: PartName): Promise<void>;
}

let packing: Promise<void> | undefined;

/** Unpacks the command where npm puts it, without the packages that it depends on. Removes the project after `work`. */
export async function withInstalledCommand<T>(work: (command: InstalledCommand) => Promise<T>): Promise<T> {
  // A test run has made it.
  if (!areProgramsBuilt()) packing ??= packCommand();
  await packing;
  const project = new PackedProject(await mkdtemp(join(tmpdir(), "open-avatar-command-")));
  const unpack = async ({ name, archive }: PackedArchive) => {
    const folder = join(project.folder, "node_modules", name);
    await mkdir(folder, { recursive: true });
    await project.run("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
    return folder;
  };
  try {
    const archive = (await readCommandNote("command"))!;
    const folder = await unpack(archive);
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    return await work({
      project,
      archive,
      manifest,
      linkDependencies: ({ optional }) =>
        project.link(...Object.keys({ ...manifest.dependencies, ...(optional && manifest.optionalDependencies) })),
      installPart: async (part) => void (await unpack((await readCommandNote(part))!)),
    });
  } finally {
    await project.close();
    await rm(project.folder, { recursive: true, force: true });
  }
}
