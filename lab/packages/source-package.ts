// The packages of `sdk/`: what each folder's package.json says of the package that is made of it.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** Of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SDK = fileURLToPath(new URL("../../sdk/", import.meta.url));

const sourcePath = z.string().regex(/^\.\/.+\.tsx?$/);
const versions = z.record(z.string(), z.string());

/** The source's package.json is that of the archive, except that `exports` names sources and that version, licence and
 *  `engines` come from the root. `build` is for the builder alone. */
const manifestSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  keywords: z.array(z.string()),
  /** So that the compiler reads the sources as modules. */
  type: z.literal("module"),
  sideEffects: z.union([z.boolean(), z.array(sourcePath)]),
  exports: z.record(
    z.string().regex(/^\.(\/[\w-]+)*$/),
    z.union([
      sourcePath,
      /** `types`: what programs in both places may count on. Default: the types of `default`. */
      z.strictObject({ types: sourcePath.optional(), browser: sourcePath, default: sourcePath }),
    ]),
  ),
  dependencies: versions.optional(),
  peerDependencies: versions.optional(),
  peerDependenciesMeta: z.record(z.string(), z.strictObject({ optional: z.boolean() })).optional(),
  build: z
    .strictObject({
      /** npm packages that are written into the archive; of all others, only those may be imported that a user of the
       *  package installs. */
      bundled: z.array(z.string()).default([]),
      /** Files below the root that the package reads at run time from a folder that its sources name by URL. */
      files: z.array(z.string()).default([]),
      /** Plain module scripts for pages without a bundler, by file name, and the entry that each is. They need only
       *  what lies beside them. */
      pageScripts: z.record(z.string().regex(/^[\w-]+\.js$/), sourcePath).default({}),
    })
    .default({ bundled: [], files: [], pageScripts: {} }),
});

type Manifest = z.infer<typeof manifestSchema>;

export interface SourcePackage {
  /** Its folder below `sdk/`. */
  folder: string;
  manifest: Manifest;
  entries: readonly Entry[];
}

/** One key of `exports`. */
export interface Entry {
  key: string;
  /** Absolute paths of its sources. */
  types: string;
  main: string;
  /** For pages, where they need another. */
  browser?: string;
}

/** Reads all packages, sorted by folder. Throws a ZodError for a package.json that is wrong. */
export async function readSourcePackages(): Promise<SourcePackage[]> {
  const folders = (await readdir(SDK)).filter((name) => existsSync(join(SDK, name, "package.json"))).sort();
  return Promise.all(
    folders.map(async (folder) => {
      const manifest = manifestSchema.parse(JSON.parse(await readFile(join(SDK, folder, "package.json"), "utf8")));
      const at = (path: string) => join(SDK, folder, path);
      const entries = Object.entries(manifest.exports).map(([key, target]): Entry => {
        if (typeof target === "string") return { key, types: at(target), main: at(target) };
        const types = at(target.types ?? target.default);
        return { key, types, main: at(target.default), browser: at(target.browser) };
      });
      return { folder, manifest, entries };
    }),
  );
}

/** The entry that has this source, a path as in package.json. Throws if it is no entry. */
export function entryOf({ folder, entries }: SourcePackage, path: string): Entry {
  const source = join(SDK, folder, path);
  const entry = entries.find(({ main, browser = main }) => [main, browser].includes(source));
  if (entry === undefined) throw new Error(`sdk/${folder}/package.json: ${path} is no entry of exports`);
  return entry;
}

/** What programs import to get this source, as `@open-avatar/engine` or `@open-avatar/face/react`. Undefined for a file
 *  that no package exports. */
export function importedAs(path: string, packages: readonly SourcePackage[]): string | undefined {
  for (const { manifest, entries } of packages) {
    const entry = entries.find(({ types, main, browser }) => [types, main, browser].includes(path));
    if (entry) return manifest.name + entry.key.slice(1);
  }
  return undefined;
}

/** The package in which a source lies. */
export function packageAround(path: string, packages: readonly SourcePackage[]): SourcePackage | undefined {
  return packages.find(({ folder }) => path.startsWith(join(SDK, folder, "/")));
}
