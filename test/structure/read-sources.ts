// Every source file of the project with what it imports, for the tests and the diagram of the project's structure.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface SourceFile {
  /** From the root, with forward slashes. */
  path: string;
  /** The first folder of the path. */
  folder: string;
  /** Paths of the project's own files that it imports, types included. */
  imports: string[];
  /** Those that remain at run time: types are erased. */
  runtimeImports: string[];
  /** Packages and Node's modules that it imports, as they are written. */
  packages: string[];
  readsEnvironment: boolean;
}

/** The TypeScript files below the given top folders, built files left out. */
export async function readSources(folders: readonly string[]): Promise<SourceFile[]> {
  const paths = await listSources(folders);
  return Promise.all(paths.map((path) => readSource(path.split("/")[0], join(ROOT, path))));
}

/** Their paths, from the root. */
export async function listSources(folders: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(join(ROOT, folder), { recursive: true }).catch(() => []);
    for (const entry of entries.sort()) {
      if (/\.tsx?$/.test(entry) && !entry.split(/[\\/]/).includes("dist"))
        paths.push(toPath(join(ROOT, folder, entry)));
    }
  }
  return paths;
}

function toPath(target: string): string {
  return relative(ROOT, target).replaceAll("\\", "/");
}

async function readSource(folder: string, file: string): Promise<SourceFile> {
  const text = await readFile(file, "utf8");
  const all = findImports(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  const found = all.filter(({ specifier }) => specifier.startsWith("."));
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
    packages: all.map(({ specifier }) => specifier).filter((specifier) => !specifier.startsWith(".")),
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

/** True for `import type …` and for an import of types alone. */
function isErased(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  return !clause.name && !!names && ts.isNamedImports(names) && names.elements.every((element) => element.isTypeOnly);
}
