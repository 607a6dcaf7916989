// Holds the direction of imports between the code folders, and that only entry points read the environment.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What each folder may import of ours, besides itself. */
const ALLOWED: Record<string, readonly string[]> = {
  shared: [],
  src: ["shared"],
  api: ["src", "shared"],
  "agent-worker": ["src", "shared"],
  web: ["src", "shared"],
  models: ["src", "shared"],
  cli: ["shared", "src", "api", "agent-worker", "web", "models"],
  bench: ["shared", "src", "api", "agent-worker", "web", "models", "cli"],
};

interface SourceFile {
  /** From the root, with forward slashes. */
  path: string;
  folder: string;
  imports: string[];
  /** Those that remain at run time; types are erased, so a circle through them is none. */
  runtimeImports: string[];
  readsEnvironment: boolean;
}

const sources = await readSources();

t.test("the walk sees imports", async (t) => {
  t.ok(sources.length > 20, "there are source files");
  t.ok(sources.some((source) => source.folder === "api" && source.imports.some((path) => path.startsWith("shared/"))));
});

t.test("imports point one way: api, agent-worker, web to src to shared; only cli and bench see all", async (t) => {
  for (const source of sources) {
    for (const target of source.imports) {
      const folder = target.split("/")[0];
      if (folder === source.folder || target === "package.json") continue;
      t.ok(ALLOWED[source.folder].includes(folder), `${source.path} may not import ${target}`);
    }
  }
});

t.test("no file imports itself around a corner", async (t) => {
  const bySource = new Map(sources.map((source) => [source.path, source.runtimeImports]));
  const finished = new Set<string>();
  const visit = (path: string, trail: string[]): void => {
    if (finished.has(path)) return;
    const start = trail.indexOf(path);
    if (start >= 0) {
      t.fail(`a cycle of imports: ${[...trail.slice(start), path].join(" > ")}`);
      return;
    }
    for (const next of bySource.get(path) ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const source of sources) visit(source.path, []);
  t.equal(finished.size >= sources.length, true, "every file was visited");
});

t.test("only entry points read process.env", async (t) => {
  for (const source of sources.filter((candidate) => candidate.readsEnvironment)) {
    const isEntryPoint = source.folder === "cli" || source.folder === "bench" || /(^|\/)main\.ts$/.test(source.path);
    t.ok(isEntryPoint, `${source.path} reads process.env`);
  }
});

async function readSources(): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const folder of Object.keys(ALLOWED)) {
    const entries = await readdir(join(ROOT, folder), { recursive: true }).catch(() => []);
    for (const entry of entries) {
      if (!/\.tsx?$/.test(entry) || entry.split(/[\\/]/).includes("dist")) continue;
      files.push(await readSource(folder, join(ROOT, folder, entry)));
    }
  }
  return files;
}

async function readSource(folder: string, file: string): Promise<SourceFile> {
  const text = await readFile(file, "utf8");
  const toPath = (target: string) => relative(ROOT, target).replaceAll("\\", "/");
  const found = findImports(ts.createSourceFile(file, text, ts.ScriptTarget.Latest)).filter(({ specifier }) =>
    specifier.startsWith("."),
  );
  const resolved = found.map(({ specifier, isTypeOnly }) => ({
    path: toPath(resolve(dirname(file), specifier)),
    isTypeOnly,
  }));
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return {
    path: toPath(file),
    folder,
    imports: resolved.map(({ path }) => path),
    runtimeImports: resolved.filter(({ isTypeOnly }) => !isTypeOnly).map(({ path }) => path),
    readsEnvironment: /process\.env\b/.test(code),
  };
}

/** Static and dynamic imports, and re-exports, of a file. */
function findImports(source: ts.SourceFile): { specifier: string; isTypeOnly: boolean }[] {
  const found: { specifier: string; isTypeOnly: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      found.push({ specifier: node.moduleSpecifier.text, isTypeOnly: isErased(node.importClause) });
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      found.push({ specifier: node.moduleSpecifier.text, isTypeOnly: node.isTypeOnly });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      // Loaded when it is called, by which time both files exist.
      if (ts.isStringLiteral(argument)) found.push({ specifier: argument.text, isTypeOnly: true });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** True for `import type …` and for an import whose every name is a type. */
function isErased(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  return !clause.name && !!names && ts.isNamedImports(names) && names.elements.every((element) => element.isTypeOnly);
}
