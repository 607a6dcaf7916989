// `avatar engine`: what renders here, and npm as it is asked to fetch more.
import { chmod, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import t from "tap";
import { hasSimd } from "../../../../cli/commands/engine/has-simd.ts";
import { findPackageRoot, installPackages } from "../../../../cli/commands/engine/install-packages.ts";
import { engineInstallShape, engineListShape } from "../../../../cli/commands/engine/shapes.ts";
import { readCommand } from "../../../helpers/service/read-command.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const { signal } = new AbortController();

t.test("the renderers of this computer are listed; what is here is not fetched again", async (t) => {
  t.ok(hasSimd());
  await withAvatarCommand(t.testdir(), async (command) => {
    const { stdout, code } = await command(["engine", "list", "--json"]);
    t.equal(code, 0);
    const { renderers } = readCommand(engineListShape, stdout);
    t.same(
      renderers.map(({ renderer }) => renderer),
      ["wasm", "cpu", "cuda"],
    );
    t.match(renderers.slice(0, 2), [{ state: "installed" }, { state: "installed", version: /^1\./ }]);
    t.match((await command(["engine", "list"])).stdout, /installed +wasm/);
    const again = readCommand(engineInstallShape, (await command(["engine", "install", "--json"])).stdout);
    t.match(again, { renderer: "cpu", state: "installed", packages: [] });
    t.match(await command(["engine", "install", "tpu", "--json"]), { code: 2, stderr: /tpu/ });
    const [, , { state }] = renderers;
    const cuda = await command(["engine", "install", "cuda", "--json"]);
    if (state === "unsupported") t.match(cuda, { code: 69, stderr: /cannot render on a GPU/ });
    else readCommand(engineInstallShape, cuda.stdout);
  });
});

t.test("npm fetches into the program's own folder, runs no scripts, and its failure is told", async (t) => {
  const folder = t.testdir({ bin: {}, program: { "package.json": "{}", cli: { "x.js": "" } } });
  const root = findPackageRoot(join(folder, "program", "cli", "x.js"));
  t.equal(root, join(folder, "program"));
  const npm = join(folder, "bin", "npm");
  const program = async (lines: string) => {
    await writeFile(npm, `#!/bin/sh\n${lines}\n`);
    await chmod(npm, 0o755);
  };
  const environment = { ...process.env, PATH: [join(folder, "bin"), process.env.PATH].join(delimiter) };
  const options = { root, packages: ["onnxruntime-node@1.0.0"], environment, signal };
  await program(`printf '%s\\n' "$PWD" "$@" > "${join(folder, "asked.txt")}"`);
  await installPackages(options);
  const asked = (await readFile(join(folder, "asked.txt"), "utf8")).trim().split("\n");
  t.same(asked.slice(1, 4), ["install", "--prefix", root]);
  t.ok(asked.includes("--ignore-scripts") && asked.includes("--no-save"));
  t.equal(asked.at(-1), "onnxruntime-node@1.0.0");
  await program("echo 'EACCES: permission denied' >&2; exit 243");
  await t.rejects(installPackages(options), { code: "NPM_FAILED", message: /EACCES/ });
  await program("sleep 60");
  const interrupted = AbortSignal.timeout(50);
  await t.rejects(installPackages({ ...options, signal: interrupted }), { name: "TimeoutError" });

  const half = join(root, "half");
  await program(`trap 'rm -f "${half}"; exit 1' TERM; echo half > "${half}"; while :; do sleep 0.1; done`);
  const pressed = new AbortController();
  const installing = installPackages({ ...options, signal: pressed.signal });
  const isThere = () =>
    readFile(half).then(
      () => true,
      () => false,
    );
  await waitFor(isThere, "npm has begun");
  pressed.abort();
  await t.rejects(installing, { name: "AbortError" });
  t.notOk(await isThere(), "npm could take back what it had begun");
});
