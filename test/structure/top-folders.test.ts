// No top folder with TypeScript in it is forgotten: the type check reads it, and the floors say what it may import.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import ts from "typescript";
import { TOP_FOLDERS } from "./floors.ts";
import { gitLines } from "./git-lines.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const paths = await gitLines("ls-files", "*.ts", "*.tsx");
const withTypeScript = [...new Set(paths.map((path) => path.split("/")[0]))].sort();

t.test("the type check reads every top folder that holds TypeScript", async (t) => {
  const { config } = ts.parseConfigFileTextToJson("", await readFile(join(ROOT, "tsconfig.json"), "utf8"));
  t.ok(withTypeScript.includes("relay"));
  t.same([...config.include].sort(), withTypeScript);
});

t.test("every top folder that holds TypeScript has a floor", async (t) => {
  t.same([...Object.keys(TOP_FOLDERS), "test"].sort(), withTypeScript);
});

t.test("ARCHITECTURE.md names every folder of the first three levels that holds TypeScript", async (t) => {
  const architecture = await readFile(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const text = /^## Folders$(.*?)^## /ms.exec(architecture)?.[1] ?? "";
  const folders = new Set(
    paths
      .filter((path) => !path.startsWith("test/"))
      .flatMap((path) => path.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/")))
      .filter((folder) => folder && folder.split("/").length <= 3),
  );
  t.ok(folders.has("src/face/rig"));
  for (const folder of folders) {
    const forms = [folder.split("/").at(-1), folder, `${folder}/`];
    t.ok(
      forms.some((form) => text.includes(`\`${form}\``)),
      folder,
    );
  }
});
