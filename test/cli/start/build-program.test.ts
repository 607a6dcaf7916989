// Programs in one file: they find what lies beside their sources, name the lines of their sources, and run without a loader.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { buildApi, buildProgram } from "../../../cli/start/build-program.ts";
import { makeDataFolder } from "../../helpers/data-folder.ts";

const execute = promisify(execFile);

t.test(
  "a built program finds the files beside its sources and its packages, and its stack traces name source lines",
  async (t) => {
    const folder = await makeDataFolder(t);
    await mkdir(join(folder, "words"));
    await writeFile(join(folder, "words", "word.txt"), "hello");
    await writeFile(
      join(folder, "words", "word.ts"),
      `import { readFileSync } from "node:fs";
interface Word { text: string }
export function readWord(): Word {
  return { text: readFileSync(new URL("word.txt", import.meta.url), "utf8") };
}
export function fail(): never {
  throw new Error("out of words");
}
`,
    );
    await writeFile(
      join(folder, "main.ts"),
      `import { z } from "zod";
import { fail, readWord } from "./words/word.ts";
console.log(z.string().parse(readWord().text), import.meta.url);
fail();
`,
    );
    const { script, nodeFlags } = await buildProgram("test-program", join(folder, "main.ts"));
    t.notMatch(nodeFlags, [/tsx/], "no loader");
    const { stdout, stderr } = await execute(process.execPath, [...nodeFlags, script]).catch((error) => error);
    t.match(stdout, new RegExp(`^hello file://.*${join(folder, "main.ts")}`));
    t.match(stderr, /out of words[\s\S]*word\.ts:7:\d+[\s\S]*main\.ts:4:\d+/);
  },
);

t.test("the build of a program that does not compile fails with the compiler's message", async (t) => {
  const folder = await makeDataFolder(t);
  await writeFile(join(folder, "main.ts"), "const = 1;");
  await t.rejects(buildProgram("test-broken", join(folder, "main.ts")), /main\.ts:1:6/);
});

t.test("the built api names a missing setting and exits", async (t) => {
  const { script, nodeFlags } = await buildApi();
  const { stderr } = await execute(process.execPath, [...nodeFlags, script], { env: { PATH: process.env.PATH } }).catch(
    (error) => error,
  );
  t.match(stderr, /DATABASE_URL: required by the api on its own/);
});
