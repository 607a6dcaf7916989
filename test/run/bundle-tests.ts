// Bundles the test files, so that their processes load them without a compiler.
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPrograms, programBundles } from "../../cli/start/build/build-programs.ts";
import { bundle, moduleUrlsIn } from "../../cli/start/build/bundle.ts";
import { isRunning } from "../../cli/start/processes/process-identity.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Inside the package, so that imports of packages resolve from there. One folder a run. */
const OUT_FOLDER = join(ROOT, "node_modules", ".cache", "open-avatar-service-tests");
const CHILD = "test/run/child.ts";

export interface TestBundles {
  /** Absolute path of the program that runs test files. */
  child: string;
  /** Absolute path of a test file's bundle. */
  bundleOf(file: string): string;
  remove(): Promise<void>;
}

/** Bundles the programs of the package and the test files (paths from the root), with the modules that they start as
 *  processes. What several files need is loaded once a process, as from the sources. Throws the compiler's error. */
export async function bundleTests(files: readonly string[]): Promise<TestBundles> {
  await removeStaleFolders();
  await buildPrograms();
  const outFolder = join(OUT_FOLDER, String(process.pid));
  const bundleOf = (file: string) => join(outFolder, file.replace(/\.ts$/, ".mjs"));
  const started = await findStartedModules();
  const sources = [...new Set([CHILD, ...files, ...started])];
  await bundle({
    entries: Object.fromEntries(sources.map((file) => [file.replace(/\.ts$/, ""), join(ROOT, file)])),
    outFolder,
    programs: new Map([...programBundles(), ...started.map((file) => [join(ROOT, file), bundleOf(file)] as const)]),
    splitting: true,
  });
  return { child: bundleOf(CHILD), bundleOf, remove: () => rm(outFolder, { recursive: true, force: true }) };
}

/** Modules of tests, and of the package for agents, that are started as processes and are no program of the service. */
async function findStartedModules(): Promise<string[]> {
  const started = new Set<string>();
  for (const folder of ["test", "sdk/livekit-agents"]) {
    for (const entry of await readdir(join(ROOT, folder), { recursive: true })) {
      if (!entry.endsWith(".ts")) continue;
      const path = join(ROOT, folder, entry);
      for (const target of moduleUrlsIn(await readFile(path, "utf8"))) {
        const file = relative(ROOT, resolve(dirname(path), target)).replaceAll("\\", "/");
        if (file.startsWith(`${folder}/`)) started.add(file);
      }
    }
  }
  return [...started];
}

/** Removes what runs left behind that were killed. */
async function removeStaleFolders(): Promise<void> {
  for (const name of await readdir(OUT_FOLDER).catch(() => [])) {
    if (await isRunning(Number(name))) continue;
    await rm(join(OUT_FOLDER, name), { recursive: true, force: true });
  }
}
