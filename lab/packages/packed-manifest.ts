// The package.json of an archive.
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { MODULE_FOLDER, SCRIPT_FOLDER } from "./bundle-package.ts";
import { declarationName } from "./roll-up-types.ts";
import { type Entry, ROOT, type SourcePackage } from "./source-package.ts";

/** Version, licence and Node are those of the repository; other packages of ours are wanted in the same version. */
export async function packedManifest(
  { manifest, entries }: SourcePackage,
  siblings: readonly string[],
): Promise<Record<string, unknown>> {
  const { version, license, engines } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const { build, sideEffects, exports: _, dependencies, peerDependencies, ...rest } = manifest;
  const scripts = Object.keys(build.pageScripts).map((name) => `./${SCRIPT_FOLDER}/${name}`);
  const isPeer = (name: string) => peerDependencies !== undefined && name in peerDependencies;
  const own = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, version]));
  const needed = { ...dependencies, ...own(siblings.filter((name) => !isPeer(name))) };
  const peers = peerDependencies && { ...peerDependencies, ...own(siblings.filter(isPeer)) };
  return {
    ...rest,
    version,
    license,
    engines,
    sideEffects: Array.isArray(sideEffects) ? [...sideEffects.map(modulePath), ...scripts] : sideEffects,
    exports: {
      ...Object.fromEntries(entries.map((entry) => [entry.key, exported(entry)])),
      ...Object.fromEntries(scripts.map((path) => [path, { types: path.replace(/\.js$/, ".d.ts"), default: path }])),
      "./package.json": "./package.json",
    },
    ...(Object.keys(needed).length > 0 && { dependencies: needed }),
    ...(peers && { peerDependencies: peers }),
  };
}

function exported(entry: Entry): Record<string, string> {
  return {
    types: `./${MODULE_FOLDER}/${declarationName(entry)}`,
    ...(entry.browser !== undefined && { browser: modulePath(entry.browser) }),
    default: modulePath(entry.main),
  };
}

/** Where the module of a source is. */
function modulePath(source: string): string {
  return `./${MODULE_FOLDER}/${basename(source).replace(/\.tsx?$/, ".js")}`;
}
