// Where tests lie: in the folder of `test/` that has the path of the folder that they test.
import { basename, dirname } from "node:path";
import t from "tap";
import { gitLines } from "./git-lines.ts";

/** Folders of `test/` with no counterpart: tests of several parts together, tools of the tests, and their data. */
const OWN_FOLDERS = ["contract", "e2e", "fixtures", "helpers", "integration", "models", "run", "structure"] as const;

const paths = await gitLines("ls-files", "*.ts", "*.tsx", "*.py");
const sources = paths.filter((path) => !path.startsWith("test/"));
const sourceFolders = new Set(sources.flatMap((path) => foldersAbove(path)));
const mirroring = paths
  .filter((path) => path.startsWith("test/") && path.endsWith(".test.ts") && dirname(path) !== "test")
  .map((path) => ({ path, folder: dirname(path).slice("test/".length), name: basename(path, ".test.ts") }))
  .filter(({ folder }) => !OWN_FOLDERS.includes(folder.split("/")[0] as (typeof OWN_FOLDERS)[number]));

t.test("every folder of tests has the path of a folder of the code", async (t) => {
  t.ok(mirroring.length > 100);
  for (const { path, folder } of mirroring) t.ok(sourceFolders.has(folder), path);
});

t.test("a test with the name of a file of its top folder lies beside that file's path", async (t) => {
  for (const { path, folder, name } of mirroring) {
    const [top] = folder.split("/");
    const namesakes = sources.filter((source) => source.startsWith(`${top}/`) && nameOf(source) === name);
    const folders = namesakes.map((source) => dirname(source));
    t.ok(folders.length === 0 || folders.includes(folder), `${path}: the file is in ${folders.join(", ")}`);
  }
});

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

function nameOf(path: string): string {
  return basename(path).replace(/\.tsx?$/, "");
}
