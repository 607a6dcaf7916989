// The Python package, installed from its wheel, against the running service.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import { missingVenv, venvPython } from "../../../lab/packages/python-venv.ts";
import { installWheel } from "../../helpers/packages/install-wheel.ts";
import { withStack } from "../../helpers/service/with-stack.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const skip = (await missingVenv(venvPython(process.env))) ?? false;

t.test("the package in a voice agent", { skip, timeout: 900_000 }, async (t) => {
  const python = await installWheel(t.testdir());
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
    await runChecks(t, python, ["start_checks", "output_checks", "avatar_checks", "pipecat_checks"], env);
  });
});

async function runChecks(t: Test, python: string, modules: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const results: { check: string; error: string | null; seconds: number }[] = [];
  const { status, output } = await runCommand(python, ["-B", join(HERE, "checks.py"), ...modules], {
    env,
    timeoutMs: 600_000,
    onLine: (line) => {
      if (line.startsWith("{")) results.push(JSON.parse(line));
    },
  });
  for (const { check, error, seconds } of results) t.equal(error, null, `${check} (${seconds} s)`, { error });
  t.equal(status, 0, "the program ends", { output });
  t.ok(results.length > 0, "it has checks", { output });
}
