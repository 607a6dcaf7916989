// Builds the page that hosts of assistants show: web/speaking-face as one HTML file, which holds its script, the worker
// of the face and their WebAssembly, because its frame may load nothing.
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildOptions, Plugin } from "esbuild";
import { sourceStamp } from "./source-stamp.ts";

const SOURCE = fileURLToPath(new URL("./speaking-face/", import.meta.url));
/** Where the tools of assistants read it. */
const SPEAKING_FACE_FILE = fileURLToPath(new URL("../mcp/dist/speaking-face.html", import.meta.url));
/** Last line of the file: says what it was built from. */
const STAMP = /<!--([0-9a-f]{64})-->\n$/;
/** Namespace of the addresses of workers. */
const WORKER = "inline-worker";

/** Builds the file unless it is of this `stamp`, and replaces it at once. Returns whether it was built. Throws the
 *  bundler's error. */
export async function buildSpeakingFace(stamp?: string): Promise<{ built: boolean }> {
  const file = SPEAKING_FACE_FILE;
  stamp ??= await sourceStamp();
  const before = await readFile(file, "utf8").catch(() => "");
  if (STAMP.exec(before)?.[1] === stamp) return { built: false };
  const [template, style, script] = await Promise.all([
    readFile(join(SOURCE, "index.html"), "utf8"),
    bundle({ entryPoints: [join(SOURCE, "style.css")] }),
    bundle({ entryPoints: [join(SOURCE, "main.ts")], format: "esm" }),
  ]);
  // Functions, because "$" means something in replacements.
  const html = template
    .replace('<link rel="stylesheet" href="./style.css" />', () => `<style>${style}</style>`)
    .replace(
      '<script type="module" src="./main.ts"></script>',
      () => `<script type="module">${withinMarkup(script)}</script>`,
    );
  const draft = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(draft, `${html}<!--${stamp}-->\n`);
  await rename(draft, file);
  return { built: true };
}

/** What would end or hide a script. It stands in strings and regular expressions only, where a backslash changes
 *  nothing. */
function withinMarkup(script: string): string {
  return script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

async function bundle(options: BuildOptions): Promise<string> {
  // Loaded where something has to be built.
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    legalComments: "none",
    logLevel: "silent",
    plugins: [inlineFiles()],
  });
  return outputFiles![0].text.trim();
}

/** `new URL("./name", import.meta.url)`, also with a trailing comma. */
const FILE_URL = /new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)/g;

/** Writes the files into the script that a source names by URL: workers become Blobs, other files `data:` addresses. */
function inlineFiles(): Plugin {
  return {
    name: "inline-files",
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\.ts$/, namespace: "file" }, async ({ path }) => {
        if (path.includes("/node_modules/")) return undefined;
        const source = await readFile(path, "utf8");
        const imports: string[] = [];
        const addresses = await Promise.all(
          [...source.matchAll(FILE_URL)].map(async ([, target], index) => {
            const file = resolve(dirname(path), target);
            if (!target.endsWith(".ts")) return JSON.stringify(await dataAddress(file));
            imports.push(`import worker${index} from "${WORKER}:${file}";`);
            return `worker${index}`;
          }),
        );
        let index = 0;
        const contents = source
          .replace(FILE_URL, () => `new URL(${addresses[index++]})`)
          // A page without an origin may start no modules from a Blob.
          .replace(/(new Worker\(new URL\(worker\d+\)), \{ type: "module" \}/g, "$1");
        return { contents: `${imports.join("")}${contents}`, loader: "ts" };
      });
      onResolve({ filter: new RegExp(`^${WORKER}:`) }, ({ path }) => ({
        path: path.slice(WORKER.length + 1),
        namespace: WORKER,
      }));
      onLoad({ filter: /./, namespace: WORKER }, async ({ path }) => {
        const code = JSON.stringify(await bundle({ entryPoints: [path], format: "iife" }));
        return { contents: `export default URL.createObjectURL(new Blob([${code}], { type: "text/javascript" }));` };
      });
    },
  };
}

/** The weights of lip sync are left out: the page gets them only where it can use them. */
async function dataAddress(file: string): Promise<string> {
  if (file.endsWith(".bin")) return "data:,";
  const isScript = file.endsWith(".js");
  const bytes = isScript ? await bundle({ entryPoints: [file] }) : await readFile(file);
  return `data:${isScript ? "text/javascript" : "application/wasm"};base64,${Buffer.from(bytes).toString("base64")}`;
}
