// The Python package is clean under the settings of livekit/agents' own repository, and has this repository's version.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import { missingVenv, venvPython } from "../../../lab/packages/python-venv.ts";
import { EXPRESSION_NAMES } from "../../../shared/expressions.ts";
import { MANNERS } from "../../../shared/manners.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PACKAGE = join(ROOT, "sdk", "python", "livekit-plugins-openavatar");
const CHECKED = [
  PACKAGE,
  ...["test/sdk/python", "examples/voice-agent-python", "lab/bench/sdk"].map((folder) => join(ROOT, folder)),
];
const python = venvPython(process.env);
const skip = (await missingVenv(python)) ?? false;

async function passes(t: Test, cwd: string, ...args: string[]): Promise<void> {
  const { status, output } = await runCommand(python, ["-m", ...args], { cwd, timeoutMs: 120_000 });
  t.equal(status, 0, args.slice(0, 2).join(" "), { output });
}

t.test("ruff and mypy", { skip }, async (t) => {
  const config = ["--no-cache", "--config", join(PACKAGE, "pyproject.toml")];
  await passes(t, ROOT, "ruff", "check", ...config, ...CHECKED);
  await passes(t, ROOT, "ruff", "format", "--check", ...config, ...CHECKED);
  // The types of livekit-agents are read once.
  const cache = join(python, "..", "..", "mypy-cache");
  await passes(t, PACKAGE, "mypy", "--cache-dir", cache, "-p", "livekit.plugins.openavatar");
});

t.test("version", async (t) => {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const file = await readFile(join(PACKAGE, "livekit", "plugins", "openavatar", "version.py"), "utf8");
  t.equal(file, `__version__ = "${version}"\n`);
});

t.test("it knows the expressions and manners of the service", async (t) => {
  const code = await readFile(join(PACKAGE, "livekit", "plugins", "openavatar", "face.py"), "utf8");
  const namesOf = (list: string) =>
    [...(new RegExp(`^${list} = \\(([^)]*)\\)`, "m").exec(code)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(
      ([, name]) => name,
    );
  t.same(namesOf("EMOTIONS"), EXPRESSION_NAMES);
  t.same(namesOf("MANNERS"), MANNERS);
});
