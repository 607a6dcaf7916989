// The image: what it builds is what it runs.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { buildApi } from "../../cli/start/build-program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

t.test("the image runs the api as npm start does, from the file that its build leaves there", async (t) => {
  const { script, nodeFlags } = await buildApi();
  const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const command: string[] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
  t.same(command, [...nodeFlags, relative(ROOT, script)]);
  const build = /^RUN (node \S+ \S+ cli\/build\.ts)/m.exec(dockerfile)?.[1].split(" ") ?? [];
  const { stdout } = await promisify(execFile)(build[0], build.slice(1), { cwd: ROOT });
  t.same(stdout.trim().split("\n"), [join(ROOT, "web", "dist"), script]);
});
