// The Python package, installed from its wheel, against the running service.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import { buildWheel } from "../../../lab/packages/build-wheel.ts";
import { missingVenv, venvPython } from "../../../lab/packages/python-venv.ts";
import { withStack } from "../../helpers/service/with-stack.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const base = venvPython(process.env);
const skip = (await missingVenv(base)) ?? false;

t.test("the package in a voice agent", { skip }, async (t) => {
  const python = await installWheel(t);
  await withStack(async (stack) => {
    const env = {
      ...process.env,
      AVATAR_API_URL: stack.baseUrl,
      AVATAR_API_SECRET: stack.apiSecret,
      AVATAR_AGENT_ID: stack.agentCode,
      LIVEKIT_URL: stack.livekit.url,
      LIVEKIT_API_KEY: stack.livekit.apiKey,
      LIVEKIT_API_SECRET: stack.livekit.apiSecret,
      WORKER_PID: String(stack.workerPid),
    };
    await runChecks(t, python, ["start_checks", "avatar_checks", "pipecat_checks"], env);
  });
});

/** The wheel in an environment of its own, which sees the packages of the shared one. Returns its Python. */
async function installWheel(t: Test): Promise<string> {
  const folder = t.testdir();
  const wheel = await buildWheel(base, join(folder, "wheels"));
  const venv = join(folder, "venv");
  const python = join(venv, "bin", "python");
  const run = async (...args: string[]) => {
    const { status, output } = await runCommand(base, args);
    t.equal(status, 0, args.slice(0, 3).join(" "), { output });
    return output.trim();
  };
  await run("-m", "venv", "--without-pip", venv);
  await run("-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel);
  const packages = "import sysconfig; print(sysconfig.get_path('purelib'))";
  const shared = await run("-c", packages);
  const { output: own } = await runCommand(python, ["-c", packages]);
  await writeFile(join(own.trim(), "shared.pth"), `${shared}\n`);
  return python;
}

async function runChecks(t: Test, python: string, modules: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const results: { check: string; error: string | null; seconds: number }[] = [];
  const { status, output } = await runCommand(python, ["-B", join(HERE, "checks.py"), ...modules], {
    env,
    timeoutMs: 180_000,
    onLine: (line) => {
      if (line.startsWith("{")) results.push(JSON.parse(line));
    },
  });
  for (const { check, error, seconds } of results) t.equal(error, null, `${check} (${seconds} s)`, { error });
  t.equal(status, 0, "the program ends", { output });
  t.ok(results.length > 0, "it has checks", { output });
}
