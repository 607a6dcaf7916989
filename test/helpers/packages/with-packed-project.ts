// Projects in which archives of the packages are installed.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type PackedPackage, readPacked } from "../../../lab/packages/packed-package.ts";
import { ROOT } from "../../../lab/packages/source-package.ts";
import { packPackages } from "../../run/pack-packages.ts";
import { areProgramsBuilt } from "../service/built-programs.ts";
import { PackedProject } from "./packed-project.ts";

const INSTALL = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"];

let packing: Promise<void> | undefined;

/** Installs the archives of `packages` (folders below `sdk/`), with those of the packages that they need, in an empty
 *  project below the system's temporary folder; and `also`, npm packages in the versions of the repository. Peers are
 *  not installed unless named. Removes the project after `work`. */
export async function withPackedProject<T>(
  { packages, also = [] }: { packages: readonly string[]; also?: readonly string[] },
  work: (project: PackedProject) => Promise<T>,
): Promise<T> {
  return withProject(async (project) => {
    await writeFile(join(project.folder, "package.json"), '{ "name": "project", "private": true, "type": "module" }\n');
    const archives = (await packedOf(packages)).map(({ archive }) => archive);
    await project.run("npm", [...INSTALL, "--legacy-peer-deps", ...archives, ...(await versionsOf(also))]);
    return work(project);
  });
}

/** Gives `work` a copy of `examples/<name>`, installed as its package.json says, peers included. */
export async function withExample<T>(name: string, work: (project: PackedProject) => Promise<T>): Promise<T> {
  return withProject(async (project) => {
    const isSource = (path: string) => !/node_modules|\.venv/.test(basename(path));
    await cp(join(ROOT, "examples", name), project.folder, { recursive: true, filter: isSource });
    const path = join(project.folder, "package.json");
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== undefined) {
      // The archives are found from everywhere.
      await writeFile(path, text.replaceAll("file:../../", `file:${ROOT}`));
      await project.run("npm", INSTALL);
    }
    return work(project);
  });
}

/** In an empty folder, with the archives made. */
async function withProject<T>(work: (project: PackedProject) => Promise<T>): Promise<T> {
  // A test run has made them.
  if (!areProgramsBuilt()) packing ??= packPackages();
  await packing;
  const project = new PackedProject(await mkdtemp(join(tmpdir(), "open-avatar-project-")));
  try {
    return await work(project);
  } finally {
    await project.close();
    await rm(project.folder, { recursive: true, force: true });
  }
}

/** The archives of packages, and of those that they need. */
async function packedOf(folders: readonly string[]): Promise<PackedPackage[]> {
  const found = new Map<string, PackedPackage>();
  const wanted = new Set(folders);
  for (const folder of wanted) {
    const packed = await readPacked(folder);
    if (packed === undefined) throw new Error(`There is no archive of sdk/${folder}.`);
    found.set(folder, packed);
    for (const sibling of packed.siblings) wanted.add(sibling);
  }
  return [...found.values()];
}

async function versionsOf(names: readonly string[]): Promise<string[]> {
  const root = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const versions: Record<string, string> = {
    ...root.dependencies,
    ...root.optionalDependencies,
    ...root.devDependencies,
  };
  return names.map((name) => `${name}@${versions[name]}`);
}
