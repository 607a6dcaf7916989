// What every file exports, and which names other files import from it.
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { listSources } from "./read-sources.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface ExportedName {
  path: string;
  name: string;
  isType: boolean;
  /** Whether the rest of its file names it. */
  isUsedInside: boolean;
  /** Whether another exported declaration of its file names it. */
  isMentioned: boolean;
  /** Files that import it. */
  importers: string[];
}

/** Every exported name of the folders. */
export async function readExports(folders: readonly string[]): Promise<ExportedName[]> {
  const exported: ExportedName[] = [];
  const importers = new Map<string, string[]>();
  for (const path of await listSources(folders)) {
    const source = ts.createSourceFile(path, await readFile(join(ROOT, path), "utf8"), ts.ScriptTarget.Latest, true);
    exported.push(...exportsOf(path, source));
    for (const key of importedKeys(path, source)) importers.set(key, [...(importers.get(key) ?? []), path]);
  }
  for (const one of exported) {
    one.importers = [one.name, "*"].flatMap((name) => importers.get(`${one.path}#${name}`) ?? []);
  }
  return exported;
}

function exportsOf(path: string, source: ts.SourceFile): ExportedName[] {
  const statements = source.statements.map((statement) => ({
    names: isExported(statement) ? namesOf(statement) : [],
    words: identifiersIn(statement),
  }));
  return statements.flatMap(({ names, words }, place) => {
    const others = statements.filter((_, index) => index !== place);
    return names.map(({ name, isType }) => ({
      path,
      name,
      isType,
      isUsedInside: words.filter((word) => word === name).length > 1 || others.some((one) => one.words.includes(name)),
      isMentioned: others.some((one) => one.names.length > 0 && one.words.includes(name)),
      importers: [],
    }));
  });
}

function isExported(statement: ts.Statement): boolean {
  return ts.canHaveModifiers(statement)
    ? (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    : false;
}

function namesOf(statement: ts.Statement): { name: string; isType: boolean }[] {
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
    return [{ name: statement.name.text, isType: true }];
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [{ name: name.text, isType: false }] : [],
    );
  }
  if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name) {
    return [{ name: statement.name.text, isType: false }];
  }
  return [];
}

function identifiersIn(node: ts.Node): string[] {
  const words: string[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isIdentifier(child)) words.push(child.text);
    ts.forEachChild(child, visit);
  };
  visit(node);
  return words;
}

/** `path#name` of every name that a file imports from another; `path#*` if it takes the whole file. */
function importedKeys(path: string, source: ts.SourceFile): Set<string> {
  const keys = new Set<string>();
  const add = (specifier: ts.Expression | undefined, names: readonly string[]): void => {
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return;
    const target = relative(ROOT, resolve(ROOT, dirname(path), specifier.text)).replaceAll("\\", "/");
    for (const name of names) keys.add(`${target}#${name}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      const isNamed = bindings && ts.isNamedImports(bindings);
      add(
        node.moduleSpecifier,
        isNamed ? bindings.elements.map((one) => (one.propertyName ?? one.name).text) : bindings ? ["*"] : [],
      );
    } else if (ts.isExportDeclaration(node)) {
      const isNamed = node.exportClause && ts.isNamedExports(node.exportClause);
      const names = isNamed ? node.exportClause.elements.map((one) => (one.propertyName ?? one.name).text) : ["*"];
      add(node.moduleSpecifier, names);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], ["*"]);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal as ts.Expression, ["*"]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return keys;
}
