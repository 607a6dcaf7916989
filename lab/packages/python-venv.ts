// The Python environment in which the wheel is built and tested. `.ci/run` makes it.
import { homedir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../../cli/start/processes/run-command.ts";

/** Fails unless the packages are installed. It does not load them, which takes seconds. */
const FINDS_ALL =
  "import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, ('build', 'pipecat', 'livekit.agents'))))";

/** Path of its Python. */
export function venvPython(environment: NodeJS.ProcessEnv): string {
  const cache = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "open-avatar-service", "python", "bin", "python");
}

/** Null if the environment is there, else one sentence on how to get it. */
export async function missingVenv(python: string): Promise<string | null> {
  const { status } = await runCommand(python, ["-c", FINDS_ALL]);
  if (status === 0) return null;
  const folder = join(python, "..", "..");
  return `it needs python3 -m venv ${folder} && ${folder}/bin/pip install -r sdk/python/requirements.txt`;
}
