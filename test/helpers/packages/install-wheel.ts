// The Python package in an environment of its own.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import { buildWheel } from "../../../lab/packages/build-wheel.ts";
import { missingVenv, venvPython } from "../../../lab/packages/python-venv.ts";

/** Builds the wheel and installs it in a new environment below `folder`, which sees the packages of the shared one.
 *  Returns its Python. Rejects with what is missing, or with what the installer said. */
export async function installWheel(folder: string): Promise<string> {
  const base = venvPython(process.env);
  const missing = await missingVenv(base);
  if (missing !== null) throw new Error(missing);
  const wheel = await buildWheel(base, join(folder, "wheels"));
  const venv = join(folder, ".venv");
  const python = join(venv, "bin", "python");
  await say(base, "-m", "venv", "--without-pip", venv);
  await say(base, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel);
  const packagesOf = (one: string) => say(one, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))");
  await writeFile(join(await packagesOf(python), "shared.pth"), `${await packagesOf(base)}\n`);
  return python;
}

async function say(program: string, ...args: string[]): Promise<string> {
  const { status, output } = await runCommand(program, args);
  if (status !== 0) throw new Error(`${args.join(" ")}: ${output}`);
  return output.trim();
}
