// No top folder with TypeScript in it is forgotten: the type check reads it, and the floors say what it may import.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import ts from "typescript";
import { TOP_FOLDERS } from "./floors.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
// `runCommand` keeps the end of a long output only.
const paths = execFileSync("git", ["ls-files", "*.ts", "*.tsx"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
const withTypeScript = [...new Set(paths.map((path) => path.split("/")[0]))].sort();

t.test("the type check reads every top folder that holds TypeScript", async (t) => {
  const { config } = ts.parseConfigFileTextToJson("", await readFile(join(ROOT, "tsconfig.json"), "utf8"));
  t.ok(withTypeScript.includes("relay"));
  t.same([...config.include].sort(), withTypeScript);
});

t.test("every top folder that holds TypeScript has a floor", async (t) => {
  t.same([...Object.keys(TOP_FOLDERS), "test"].sort(), withTypeScript);
});
