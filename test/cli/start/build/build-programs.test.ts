// Bundled programs find the files beside their sources, report source lines in stack traces, and run without a loader.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { buildProgram, buildPrograms, PROGRAMS } from "../../../../cli/start/build/build-programs.ts";
import { bundle, moduleUrlsIn } from "../../../../cli/start/build/bundle.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { readSources } from "../../../structure/read-sources.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
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

t.test("a CommonJS package that is required has its default and its named exports", async (t) => {
  const folder = await makeDataFolder(t);
  const main = join(folder, "main.ts");
  await writeFile(
    main,
    `import pino, { stdSerializers } from "pino";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
console.log(pino({ level: "silent" }).level, typeof stdSerializers.err, require("node:path").basename("/a/b"));
`,
  );
  const outFolder = join(ROOT, "node_modules", ".cache", "open-avatar-service-tests");
  await bundle({ entries: { "test-required": main }, outFolder, requiredPackages: ["pino"] });
  const program = join(outFolder, "test-required.mjs");
  t.notMatch(await readFile(program, "utf8"), /from "pino"/, "Node does not search it for names");
  const { stdout } = await execute(process.execPath, [program]);
  t.equal(stdout, "silent function b\n");
});

t.test("every module that is started as a process is among the programs", async (t) => {
  const started: string[] = [];
  for (const { path } of await readSources(["agent-worker", "api", "mcp", "relay", "program", "shared", "src"])) {
    const text = await readFile(join(ROOT, path), "utf8");
    for (const target of moduleUrlsIn(text)) started.push(join(dirname(path), target));
  }
  // What commands start.
  const entries = ["api/main.ts", "agent-worker/main.ts", "agent-worker/self-hosted/main.ts", "relay/main.ts"];
  t.same(
    started.sort(),
    Object.values(PROGRAMS)
      .filter((path) => !entries.includes(path))
      .sort(),
  );
});

t.test("the built api names a missing setting and exits", async (t) => {
  const { script, nodeFlags } = (await buildPrograms()).api;
  const { stderr } = await execute(process.execPath, [...nodeFlags, script], { env: { PATH: process.env.PATH } }).catch(
    (error) => error,
  );
  t.match(stderr, /DATABASE_URL: required by the api on its own/);
});
