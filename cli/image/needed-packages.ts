// Which packages of node_modules the bundled programs need: those that a bundle names, and what these depend on.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "zod";

export interface NeededPackagesOptions {
  /** Absolute path of the folder of package.json and node_modules. */
  root: string;
  /** Text of each bundle. */
  bundles: readonly string[];
  /** Packages to leave out although they are named, with the reason. `owner > name` holds for one owner alone. */
  omitted: Readonly<Record<string, string>>;
}

const names = z.record(z.string(), z.unknown()).default({});
const manifestSchema = z.object({
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
});

interface Dependency {
  name: string;
  isOptional: boolean;
}

/** Folders relative to `root`, such as `node_modules/koa`, sorted. Throws if a package that is neither optional nor
 *  omitted is not installed. */
export async function findNeededPackages({ root, bundles, omitted }: NeededPackagesOptions): Promise<string[]> {
  const found = new Set<string>();
  const add = async ({ name, isOptional }: Dependency, from: string, owner: string): Promise<void> => {
    if (name in omitted || `${owner} > ${name}` in omitted) return;
    const folder = findPackage(name, from, root);
    if (folder === undefined) {
      if (isOptional) return;
      throw new Error(`${owner} needs the package ${name}, which is not installed.`);
    }
    if (found.has(folder)) return;
    found.add(folder);
    for (const dependency of await dependenciesOf(folder)) await add(dependency, folder, name);
  };
  for (const dependency of await dependenciesOf(root)) {
    if (bundles.some((text) => isNamed(dependency.name, text))) await add(dependency, root, "the service");
  }
  return [...found].map((folder) => relative(root, folder)).sort();
}

/** Whether a program's text has the package, or a file of it, in quotes: as an import, or for a module that is resolved
 *  at run time. Not as the key of an object: package.json is part of one program. */
export function isNamed(name: string, text: string): boolean {
  return new RegExp(`["']${name.replaceAll(".", "\\.")}(/[^"']*)?["'](?!:)`).test(text);
}

async function dependenciesOf(folder: string): Promise<Dependency[]> {
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const isOptional = (name: string) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true;
  const all = new Set([dependencies, optionalDependencies, peerDependencies].flatMap((table) => Object.keys(table)));
  // An optional peer is there for other users of the owner; types are for compilers.
  return [...all]
    .filter((name) => !name.startsWith("@types/") && !(name in peerDependencies && isOptional(name)))
    .map((name) => ({ name, isOptional: isOptional(name) }));
}

/** As Node finds it: in the nearest node_modules. */
function findPackage(name: string, from: string, root: string): string | undefined {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
    if (folder === root) break;
  }
  return undefined;
}
