// Bundles the sources of a package: ES modules in one folder, and beside them the files and the modules that the
// sources name by URL, in a form that bundlers of pages understand.
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { importedAs, packageAround, ROOT, type SourcePackage } from "./source-package.ts";

/** What the sources are built for. */
type Place = "node" | "browser";

export interface BundledPackage {
  /** Packages of ours that it imports. */
  siblings: string[];
  /** Paths below the root of all that is inside. */
  inputs: string[];
}

/** Where modules are, in the archive, and where plain scripts for pages are. */
export const MODULE_FOLDER = "dist";
export const SCRIPT_FOLDER = "script";

/** Writes the modules of a package into `stage`. Throws the bundler's error, or one about an import that the package
 *  may not have. */
export async function bundlePackage(
  source: SourcePackage,
  packages: readonly SourcePackage[],
  stage: string,
): Promise<BundledPackage> {
  const { entries, manifest } = source;
  const forBoth = [...new Set(entries.map(({ main }) => main))];
  const forPages = [...new Set(entries.flatMap(({ browser }) => browser ?? []))];
  const siblings = new Set<string>();
  const inputs = new Set<string>();
  const common = { source, packages, siblings, inputs };
  const modules = new Bundling({ ...common, outFolder: join(stage, MODULE_FOLDER), isAlone: false });
  await modules.build(forBoth, "node");
  await modules.build(forPages, "browser");
  const scripts = Object.entries(manifest.build.pageScripts);
  const alone = new Bundling({ ...common, outFolder: join(stage, SCRIPT_FOLDER), isAlone: true });
  for (const [name, path] of scripts)
    await alone.build([join(ROOT, "sdk", source.folder, path)], "browser", basename(name, ".js"));
  for (const file of manifest.build.files) await modules.copy(join(ROOT, file), file);
  return { siblings: [...siblings].sort(), inputs: [...inputs].sort() };
}

interface BundlingOptions {
  source: SourcePackage;
  packages: readonly SourcePackage[];
  siblings: Set<string>;
  inputs: Set<string>;
  outFolder: string;
  /** Whether nothing stays outside, and the result is small instead of readable. */
  isAlone: boolean;
}

/** `new URL("./name", import.meta.url)`, also with a trailing comma. */
const FILE_URL = /new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)/g;

/** The bundles in one folder. */
class Bundling {
  readonly #options: BundlingOptions;
  /** What each file of the folder was made from, so that no two have the same name. */
  readonly #origins = new Map<string, string>();

  constructor(options: BundlingOptions) {
    this.#options = options;
  }

  /** Bundles sources, absolute paths, which share their parts; then each module that they start by its URL (workers,
   *  processes) by itself, because it runs elsewhere. */
  async build(paths: readonly string[], place: Place, name?: string): Promise<void> {
    const started = new Set<string>();
    const { isAlone } = this.#options;
    const out = (path: string) => name ?? moduleName(path);
    for (const path of paths) this.#claim(`${out(path)}.js`, path);
    if (paths.length > 0)
      await this.#bundle({
        entries: paths.map((path) => ({ in: path, out: out(path) })),
        place,
        started,
        splits: !isAlone,
      });
    for (const path of started) {
      const entries = [{ in: path, out: moduleName(path) }];
      await this.#bundle({ entries, place, started, splits: false });
    }
  }

  /** Copies a file into the folder. */
  async copy(path: string, name: string): Promise<void> {
    if (!this.#claim(name, path)) return;
    const target = join(this.#options.outFolder, name);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(path, target);
  }

  async #bundle(step: {
    entries: { in: string; out: string }[];
    place: Place;
    started: Set<string>;
    splits: boolean;
  }): Promise<void> {
    const { outFolder, isAlone, inputs } = this.#options;
    const { metafile } = await build({
      ...OPTIONS[step.place],
      entryPoints: step.entries,
      outdir: outFolder,
      splitting: step.splits,
      minify: isAlone,
      plugins: [this.#moveUrls(step.started), this.#keepOutside()],
    });
    for (const path of usedInputs(metafile)) inputs.add(path);
  }

  /** Files that a source names by URL come beside its bundle. A folder becomes the one of `build.files`. */
  #moveUrls(started: Set<string>): Plugin {
    return {
      name: "move-urls",
      setup: ({ onLoad }) => {
        onLoad({ filter: /\.[jt]sx?$/ }, async ({ path }) => {
          if (path.includes("/node_modules/")) return undefined;
          const copies: Promise<void>[] = [];
          const contents = (await readFile(path, "utf8")).replace(FILE_URL, (_, target: string) => {
            const file = resolve(dirname(path), target);
            if (target.endsWith("/")) return urlOf(`${file.slice(ROOT.length)}/`);
            if (!/\.tsx?$/.test(target)) {
              copies.push(this.copy(file, basename(file)));
              return urlOf(basename(file));
            }
            if (this.#claim(`${moduleName(file)}.js`, file)) started.add(file);
            return urlOf(`${moduleName(file)}.js`);
          });
          await Promise.all(copies);
          return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
        });
      },
    };
  }

  /** Another package of ours is imported by its name, and npm packages that a user of this one installs. */
  #keepOutside(): Plugin {
    const { source, packages, isAlone, siblings } = this.#options;
    const { name, dependencies, peerDependencies, build } = source.manifest;
    const installed = isAlone ? optionalPeers(packages) : Object.keys({ ...dependencies, ...peerDependencies });
    const isOf = (path: string, names: readonly string[]) =>
      names.some((one) => path === one || path.startsWith(`${one}/`));
    return {
      name: "keep-outside",
      setup: ({ onResolve }) => {
        onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
          const file = resolve(resolveDir, path);
          const around = packageAround(file, packages);
          if (isAlone || around === undefined || around === source) return undefined;
          const specifier = importedAs(file, packages);
          if (specifier === undefined)
            return {
              errors: [
                { text: `${name} imports ${file.slice(ROOT.length)}, which ${around.manifest.name} does not export` },
              ],
            };
          siblings.add(around.manifest.name);
          return { path: specifier, external: true };
        });
        onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
          if (kind === "entry-point" || path.startsWith("node:")) return undefined;
          if (isOf(path, installed)) return { path, external: true };
          const isNamed = isOf(path, build.bundled) || importer.includes("/node_modules/");
          if (isNamed) return undefined;
          return {
            errors: [
              {
                text: `${name} imports ${path}: its package.json names it neither as a dependency nor under build.bundled`,
              },
            ],
          };
        });
      },
    };
  }

  /** Takes a file name for a source. Returns false if it has it already. Throws if another source has it. */
  #claim(name: string, path: string): boolean {
    const origin = this.#origins.get(name);
    if (origin === path) return false;
    if (origin !== undefined) throw new Error(`${path} and ${origin} would both become ${name}`);
    this.#origins.set(name, path);
    return true;
  }
}

const SHARED_OPTIONS = {
  bundle: true,
  format: "esm",
  target: "es2022",
  chunkNames: "[name]-[hash]",
  legalComments: "none",
  metafile: true,
  logLevel: "silent",
} satisfies BuildOptions;

const OPTIONS = {
  node: { ...SHARED_OPTIONS, platform: "node", mainFields: ["module", "main"] },
  browser: { ...SHARED_OPTIONS, platform: "browser" },
} satisfies Record<Place, BuildOptions>;

/** What packages do without: they import it when it is needed. */
function optionalPeers(packages: readonly SourcePackage[]): string[] {
  return packages.flatMap(({ manifest }) =>
    Object.entries(manifest.peerDependenciesMeta ?? {}).flatMap(([name, { optional }]) => (optional ? name : [])),
  );
}

function moduleName(path: string): string {
  return basename(path).replace(/\.tsx?$/, "");
}

function urlOf(name: string): string {
  return `new URL(${JSON.stringify(`./${name}`)}, import.meta.url)`;
}

/** Files of which something is inside the bundles. */
function usedInputs({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
}
