// An empty project of a user in which archives of the packages are installed.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readPacked } from "../../../lab/packages/packed-package.ts";
import { ROOT } from "../../../lab/packages/source-package.ts";
import { packPackages } from "../../run/pack-packages.ts";
import { areProgramsBuilt } from "../service/built-programs.ts";

const INSTALL_FLAGS = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"];
/** Settings of the tests and of the service. */
const OURS = /^(AVATAR|LIVEKIT|TEST|TAP)_|^NODE_OPTIONS$/;
const TIMEOUT_MS = 120_000;

export interface PackedProject {
  /** Absolute path. */
  folder: string;
  /** Links npm packages of the repository, which is quicker than to install them. */
  link(...names: string[]): Promise<void>;
  /** Runs a command in the folder. Rejects with all that it printed if it fails or takes two minutes. */
  run(command: string, args?: readonly string[], environment?: Record<string, string>): Promise<Output>;
  /** Runs an ES module of the project: what it prints, without the line's end. */
  runModule(text: string, environment?: Record<string, string>): Promise<string>;
}

interface Output {
  stdout: string;
  stderr: string;
}

let packing: Promise<void> | undefined;

/** Installs the archives of `packages` (folders below `sdk/`), with those of the packages that they need, in an empty
 *  project below the system's temporary folder; and `also`, npm packages in the versions of the repository. Peers are
 *  not installed unless named. Removes the project after `work`. */
export async function withPackedProject<T>(
  { packages, also = [] }: { packages: readonly string[]; also?: readonly string[] },
  work: (project: PackedProject) => Promise<T>,
): Promise<T> {
  // A test run has made them.
  if (!areProgramsBuilt()) packing ??= packPackages();
  await packing;
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-project-"));
  const project: PackedProject = {
    folder,
    async link(...names) {
      for (const name of names) {
        const path = join(folder, "node_modules", name);
        if (existsSync(path)) continue;
        await mkdir(dirname(path), { recursive: true });
        await symlink(join(ROOT, "node_modules", name), path);
      }
    },
    run: (command, args = [], environment = {}) => run({ folder, command, args, environment }),
    async runModule(text, environment = {}) {
      const file = join(folder, "module.mjs");
      await writeFile(file, text);
      return (await run({ folder, command: process.execPath, args: [file], environment })).stdout.trimEnd();
    },
  };
  try {
    await writeFile(join(folder, "package.json"), '{ "name": "project", "private": true, "type": "module" }\n');
    const names = [...(await archivesOf(packages)), ...(await versionsOf(also))];
    await project.run("npm", ["install", ...INSTALL_FLAGS, ...names]);
    return await work(project);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Paths of the archives of packages, and of those that they need. */
async function archivesOf(folders: readonly string[]): Promise<string[]> {
  const archives = new Set<string>();
  for (const folder of new Set(folders)) {
    const packed = await readPacked(folder);
    if (packed === undefined) throw new Error(`There is no archive of sdk/${folder}.`);
    archives.add(packed.archive);
    for (const archive of await archivesOf(packed.siblings)) archives.add(archive);
  }
  return [...archives];
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

async function run(of: {
  folder: string;
  command: string;
  args: readonly string[];
  environment: Record<string, string>;
}): Promise<Output> {
  const { folder, command, args, environment } = of;
  // npm of the Node that runs the tests.
  const PATH = [dirname(process.execPath), process.env.PATH].join(":");
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name))),
    PATH,
    ...environment,
  };
  return promisify(execFile)(command, [...args], { cwd: folder, env, timeout: TIMEOUT_MS, maxBuffer: 16e6 }).catch(
    (error: Error & Output) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
}
