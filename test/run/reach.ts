// Finds the files on which test files depend: through imports and through paths in a file (a program that it starts, a
// fixture that it reads), transitively.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { TOP_FOLDERS } from "../structure/floors.ts";
import { readSources } from "../structure/read-sources.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Every file of the project that is reached at run time from each file, itself included; folders end with a slash. */
export type Reach = (file: string) => ReadonlySet<string>;

export async function readReach(): Promise<Reach> {
  const edges = new Map<string, string[]>();
  for (const { path, imports, runtimeImports } of await readSources([...Object.keys(TOP_FOLDERS), "test"])) {
    const named = namedPaths(path, await readFile(join(ROOT, path), "utf8"));
    // An import of types alone reaches nothing; a dynamic one is counted among the types by the reader.
    const dynamic = imports.filter((target) => !runtimeImports.includes(target) && named.dynamic.has(target));
    edges.set(path, [...runtimeImports, ...dynamic, ...named.paths]);
  }
  const known = new Map<string, ReadonlySet<string>>();
  return (file) => {
    const found = known.get(file) ?? walk(file, edges);
    known.set(file, found);
    return found;
  };
}

function walk(file: string, edges: ReadonlyMap<string, string[]>): Set<string> {
  const reached = new Set([file]);
  for (const path of reached) for (const target of edges.get(path) ?? []) reached.add(target);
  return reached;
}

/** One of our programs, named in a command. */
const PROGRAM = /["'`]((?:api|agent-worker|cli|bench|test)\/[\w./-]+\.(?:ts|mjs))["'`]/g;

/** The file reads the whole folder that it lies in. */
const OWN_FOLDER = /dirname\(fileURLToPath\(import\.meta\.url\)\)/;

/** Paths in `new URL("…", import.meta.url)` and `join(ROOT, "…", "…")`, relative to the file's folder, and targets of
 *  `import("…")`. */
function namedPaths(path: string, text: string): { paths: string[]; dynamic: Set<string> } {
  const from = (target: string) => relative(ROOT, resolve(ROOT, dirname(path), target)).replaceAll("\\", "/");
  const keepSlash = (target: string) => (target.endsWith("/") ? `${from(target)}/` : from(target));
  const urls = [...text.matchAll(/new URL\(["'`](\.{0,2}[^"'`:$]+)(?:\$\{[^`]*)?["'`],\s*import\.meta\.url/g)];
  const joined = [...text.matchAll(/join\((?:ROOT|PROJECT), ((?:"[^"]+"(?:, )?)+)\)/g)];
  const dynamic = [...text.matchAll(/import\("(\.[^"]+)"\)/g)].map((match) => from(match[1]));
  return {
    paths: [
      ...urls.map((match) => keepSlash(match[1])),
      ...(OWN_FOLDER.test(text) ? [`${dirname(path)}/`] : []),
      ...[...text.matchAll(PROGRAM)].map((match) => match[1]),
      ...joined.map((match) => [...match[1].matchAll(/"([^"]+)"/g)].map((part) => part[1]).join("/")),
    ].filter((target) => target !== "" && target !== "/" && !target.startsWith("..")),
    dynamic: new Set(dynamic),
  };
}

/** All test files, as paths from the root. */
export async function listTestFiles(): Promise<string[]> {
  const entries = await readdir(join(ROOT, "test"), { recursive: true });
  return entries
    .map((entry) => join("test", entry).replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts"))
    .sort();
}
