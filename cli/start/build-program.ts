// Bundles a TypeScript program into one JavaScript file, so that its process needs no loader, which would keep a thread
// and about 70 MB of memory. Packages are not bundled.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** Inside the package, so that imports resolve from there. */
const OUT_FOLDER = fileURLToPath(new URL("../../node_modules/.cache/open-avatar-service/", import.meta.url));
const API_ENTRY = fileURLToPath(new URL("../../api/main.ts", import.meta.url));
/** The default young generation is three times 16 MB; a request server is as fast with half of that. */
const YOUNG_GENERATION = "--max-semi-space-size=8";
const UNWRITABLE = ["EACCES", "EPERM", "EROFS", "ENOSPC"];

/** A program and the flags to run it with. */
export interface Program {
  /** Absolute path. */
  script: string;
  nodeFlags: string[];
}

/** The TypeScript sources, run by the tsx loader. */
export function sourceProgram(entry: string): Program {
  return { script: entry, nodeFlags: ["--import", import.meta.resolve("tsx")] };
}

/** The api as `npm start` runs it. */
export function buildApi(): Promise<Program> {
  return buildServer("api", API_ENTRY);
}

/** As `buildProgram`, for a process that serves requests. */
export async function buildServer(name: string, entry: string): Promise<Program> {
  const { script, nodeFlags } = await buildProgram(name, entry);
  return { script, nodeFlags: [...nodeFlags, YOUNG_GENERATION] };
}

/** Bundles the program at `entry` (absolute path); about 0.2 s. If the package folder is not writable, returns the
 *  sources instead. Throws the compiler's error. */
export async function buildProgram(name: string, entry: string): Promise<Program> {
  const script = join(OUT_FOLDER, `${name}.mjs`);
  const { outputFiles } = await build({
    entryPoints: [entry],
    outfile: script,
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.20",
    packages: "external",
    // Stack traces name source lines.
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "silent",
    define: { "import.meta.url": "moduleUrl" },
    plugins: [ownUrls],
  });
  try {
    await mkdir(dirname(script), { recursive: true });
    for (const { path, contents } of outputFiles) {
      // Another start may run the file at this moment.
      const draft = `${path}.${process.pid}`;
      await writeFile(draft, contents);
      await rename(draft, path);
    }
  } catch (error) {
    if (!UNWRITABLE.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return sourceProgram(entry);
  }
  return { script, nodeFlags: ["--enable-source-maps"] };
}

/** Each module keeps its own URL, from which it finds files beside it. */
const ownUrls: Plugin = {
  name: "own-urls",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      // On the first line, so that line numbers do not change.
      const url = text.includes("import.meta.url")
        ? `const moduleUrl = ${JSON.stringify(pathToFileURL(path).href)};`
        : "";
      return { contents: url + text, loader: "ts" };
    });
  },
};
