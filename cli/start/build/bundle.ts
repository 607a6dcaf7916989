// Bundles TypeScript programs, each into one JavaScript file, so that their processes need no loader: it would compile
// every module again, and keep a thread and about 70 MB of memory. Packages stay outside, unless named.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";
import type { PackagePart } from "./package-parts.ts";

export interface BundleOptions {
  /** Absolute paths of the sources by the names of the bundles: `{ api: "/…/api/main.ts" }` becomes `api.mjs`. */
  entries: Readonly<Record<string, string>>;
  /** Inside the package, so that imports of packages resolve from there. */
  outFolder: string;
  /** Absolute paths of bundles by those of their sources, for modules that are run as programs. Where the sources say
   *  `new URL("./program.ts", import.meta.url)`, the bundle names the program's bundle. */
  programs?: ReadonlyMap<string, string>;
  /** For bundles that are moved, with the files beside the modules: where all of it lies before, and the folder of the
   *  bundles relative to the modules'. Then bundles name files by their own place, and have no source maps. Default:
   *  they name them by absolute URLs. */
  moved?: MovedBundles;
  /** Absolute path of a module that imports at once what it says to import where it is needed: reading many small files
   *  takes longer than what is in them. Default: none. */
  gathered?: string;
  /** Whether modules that several entries need are written once, into files of their own. Default false. */
  splitting?: boolean;
  /** Packages that are written into the bundles: plain JavaScript in many files, of which the programs use little.
   *  Default: none. */
  inlinedPackages?: readonly string[];
  /** CommonJS packages to load with `require`: before Node imports one, it searches all of its files for the names that
   *  they export. Default: none. */
  requiredPackages?: readonly string[];
  /** By package: the part of it that is written into the bundles, for packages of which loading the whole is dear. */
  packageParts?: Readonly<Record<string, PackagePart>>;
}

export interface MovedBundles {
  /** Absolute path of the folder that all modules are in, with a slash at the end. */
  root: string;
  /** Relative to it, of one name: `dist`. */
  folder: string;
}

/** Loaded with the first bundle: in an image everything is built, and there is no compiler. */
let compiler: Promise<typeof import("esbuild")> | undefined;

/** Ends the compiler's process, which holds 165 MB, if it was started. */
export async function stopCompiler(): Promise<void> {
  await (await compiler)?.stop();
}

/** What bundles have of packages. */
export interface BundledPackages {
  /** Names of the modules that bundles import when they run: `sharp`, `jose/errors`, `node:fs`. */
  imported: string[];
  /** Files that are written into bundles, relative to the working directory: `node_modules/zod/index.js`. */
  included: string[];
}

/** Writes the bundles. Throws the compiler's error, or the file system's. */
export async function bundle(options: BundleOptions): Promise<BundledPackages> {
  const { entries, outFolder, programs = new Map(), splitting = false, moved, gathered } = options;
  const { inlinedPackages = [], requiredPackages = [], packageParts = {} } = options;
  compiler ??= import("esbuild");
  const { build } = await compiler;
  const { outputFiles, metafile } = await build({
    entryPoints: Object.entries(entries).map(([out, path]) => ({ in: path, out })),
    outdir: outFolder,
    outExtension: { ".js": ".mjs" },
    write: false,
    metafile: true,
    bundle: true,
    splitting,
    platform: "node",
    format: "esm",
    target: "node20.20",
    // Stack traces name source lines.
    sourcemap: moved ? false : "linked",
    sourcesContent: false,
    logLevel: "silent",
    define: { "import.meta.url": "moduleUrl", "import.meta.dirname": "moduleFolder" },
    banner: { js: [moved ? DEFINE_BUNDLE_URL : "", requiredPackages.length > 0 ? DEFINE_REQUIRE : ""].join("") },
    plugins: [
      keepUrls(programs, moved, gathered),
      takeParts(packageParts),
      requirePackages(requiredPackages),
      keepPackagesOutside(inlinedPackages),
    ],
  });
  for (const { path, contents } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    // Another start may run the file at this moment.
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, contents);
    await rename(draft, path);
  }
  const outputs = Object.values(metafile.outputs);
  return {
    imported: outputs.flatMap(({ imports }) => imports.flatMap(({ path, external }) => (external ? [path] : []))),
    included: outputs.flatMap(({ inputs }) => Object.keys(inputs)),
  };
}

/** Relative paths of the TypeScript modules that a source names by URL: those that it starts as programs. */
export function moduleUrlsIn(source: string): string[] {
  return [...source.matchAll(MODULE_URL)].map(([, target]) => target);
}

/** `new URL("./program.ts", import.meta.url)`, also with a trailing comma. */
const MODULE_URL = /new URL\(\s*"([^"]+\.ts)",\s*import\.meta\.url,?\s*\)/g;

const DEFINE_REQUIRE = [
  'import { createRequire as createPackageRequire } from "node:module";',
  "const require = createPackageRequire(import.meta.url);",
].join(" ");

/** Esbuild replaces `import.meta.url` in modules, not in this line. */
const DEFINE_BUNDLE_URL = "const bundleUrl = import.meta.url;";

/** Imports of these packages become calls of `require`. */
function requirePackages(packages: readonly string[]): Plugin {
  return {
    name: "require-packages",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[^./]/ }, ({ path, namespace }) => {
        if (!packages.includes(path)) return undefined;
        return namespace === "required" ? { path, external: true } : { path, namespace: "required" };
      });
      onLoad({ filter: /./, namespace: "required" }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** Imports of these packages become those of their parts. */
function takeParts(parts: Readonly<Record<string, PackagePart>>): Plugin {
  return {
    name: "take-parts",
    setup({ onResolve, onLoad }) {
      for (const [name, { contents, replacements = {} }] of Object.entries(parts)) {
        const folder = dirname(fileURLToPath(import.meta.resolve(name)));
        const replaced = new Map(
          Object.entries(replacements).map(([from, to]) => [resolve(folder, from), resolve(folder, to)]),
        );
        onResolve({ filter: new RegExp(`^${name}$`) }, ({ path }) => ({ path, namespace: "part", sideEffects: false }));
        onLoad({ filter: new RegExp(`^${name}$`), namespace: "part" }, () => ({ contents, resolveDir: folder }));
        onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
          const to = resolveDir.startsWith(folder) ? replaced.get(resolve(resolveDir, path)) : undefined;
          return to === undefined ? undefined : { path: to };
        });
      }
    },
  };
}

/** As esbuild's `packages: "external"`, with exceptions. */
function keepPackagesOutside(inlinedPackages: readonly string[]): Plugin {
  return {
    name: "keep-packages-outside",
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        const isInlined = inlinedPackages.some((name) => path === name || path.startsWith(`${name}/`));
        return kind === "entry-point" || isInlined ? undefined : { path, external: true };
      });
    },
  };
}

/** A source in which what is imported where it is needed is imported at the beginning. */
function importAtOnce(source: string): string {
  const names = new Map<string, string>();
  const text = source.replace(/\bawait import\((".+?\.ts")\)/g, (_, target: string) => {
    const name = names.get(target) ?? `gathered${names.size}`;
    names.set(target, name);
    return name;
  });
  return text + [...names].map(([target, name]) => `\nimport * as ${name} from ${target};`).join("");
}

/** Each module keeps its own URL, from which it finds files beside it. URLs of programs become those of bundles. */
function keepUrls(programs: ReadonlyMap<string, string>, moved?: MovedBundles, gathered?: string): Plugin {
  const urlOf = (path: string) =>
    moved && path.startsWith(moved.root)
      ? `new URL(${JSON.stringify(`../${path.slice(moved.root.length)}`)}, bundleUrl)`
      : `new URL(${JSON.stringify(pathToFileURL(path).href)})`;
  return {
    name: "keep-urls",
    setup({ onLoad }) {
      onLoad({ filter: /\.[jt]s$/, namespace: "file" }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        const text = (path === gathered ? importAtOnce(source) : source).replace(
          MODULE_URL,
          (expression, target: string) => {
            const bundled = programs.get(resolve(dirname(path), target));
            return bundled ? urlOf(bundled) : expression;
          },
        );
        // On the first line, so that line numbers do not change.
        const url = text.includes("import.meta.url") ? `const moduleUrl = ${urlOf(path)}.href;` : "";
        const folder = text.includes("import.meta.dirname")
          ? `const moduleFolder = ${moved ? `new URL(".", ${urlOf(path)}).pathname` : JSON.stringify(dirname(path))};`
          : "";
        return {
          contents: url + folder + text,
          loader: path.endsWith(".ts") ? "ts" : "js",
        };
      });
    },
  };
}
