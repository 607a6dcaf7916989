// Puts a TypeScript program into one JavaScript file, so that its process needs no loader: the loader keeps a thread
// and some 70 MB of memory for as long as the process runs. Packages stay where they are.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** Within the package, so that what the file imports is found from there. */
const OUT_FOLDER = fileURLToPath(new URL("../../node_modules/.cache/open-avatar-service/", import.meta.url));
const API_ENTRY = fileURLToPath(new URL("../../api/main.ts", import.meta.url));
/** Node sets aside three times 16 MB for new objects; a server of requests makes do with less at the same speed. */
const YOUNG_GENERATION = "--max-semi-space-size=8";
const UNWRITABLE = ["EACCES", "EPERM", "EROFS", "ENOSPC"];

/** A program and how Node is to run it. */
export interface Program {
  /** Absolute path. */
  script: string;
  nodeFlags: string[];
}

/** The program as it is written, run by a loader. */
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

/** Builds the program at `entry` (absolute) anew; about 0.2 s. Where the package cannot be written to it is run as it
 *  is written. Throws what the compiler says of a program that cannot be built. */
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
    // Stack traces name the lines that people edit.
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "silent",
    define: { "import.meta.url": "moduleUrl" },
    plugins: [ownUrls],
  });
  try {
    await mkdir(dirname(script), { recursive: true });
    for (const { path, contents } of outputFiles) {
      // Another start may run the file while it is made.
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

/** Each module keeps its own URL: files beside it are found from there. */
const ownUrls: Plugin = {
  name: "own-urls",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      // On the first line, so that the others keep their numbers.
      const url = text.includes("import.meta.url")
        ? `const moduleUrl = ${JSON.stringify(pathToFileURL(path).href)};`
        : "";
      return { contents: url + text, loader: "ts" };
    });
  },
};
