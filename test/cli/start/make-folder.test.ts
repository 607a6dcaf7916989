import { existsSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { makeFolder } from "../../../cli/start/make-folder.ts";

t.test("a folder is created with its missing parents, also by two calls at the same time and repeatedly", async (t) => {
  const path = join(t.testdir(), "a", "b", "c");
  await Promise.all([makeFolder(path), makeFolder(path)]);
  t.ok((await stat(path)).isDirectory());
  await makeFolder(path);
});

t.test("an error is thrown at once if the folder cannot be created", { timeout: 5_000 }, async (t) => {
  const file = join(t.testdir(), "file");
  await writeFile(file, "");
  await t.rejects(makeFolder(join(file, "below")), { code: "ENOTDIR" });
  // Node's recursive mkdir never comes back from here.
  if (existsSync("/proc")) await t.rejects(makeFolder("/proc/none/logs"), { code: /ENOENT|EACCES|EPERM/ });
});
