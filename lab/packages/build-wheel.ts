// The wheel of the Python package, with the version and the licence of this repository.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../cli/start/processes/run-command.ts";
import { StartError } from "../../cli/start/start-error.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = join(ROOT, "sdk", "python", "livekit-plugins-openavatar");
const VERSION_FILE = join("livekit", "plugins", "openavatar", "version.py");
const BUILD_TIMEOUT_MS = 2 * 60_000;

/** Builds the wheel into a folder with the Python of `venvPython`. Returns its path. Throws StartError with what the
 *  builder said. */
export async function buildWheel(python: string, outFolder: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-wheel-"));
  try {
    const [sources, wheels] = [join(folder, "sources"), join(folder, "wheels")];
    await cp(SOURCES, sources, { recursive: true, filter: (path) => !/__pycache__|\.(mypy|ruff)_cache/.test(path) });
    await cp(join(ROOT, "LICENSE"), join(sources, "LICENSE"));
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    await writeFile(join(sources, VERSION_FILE), `__version__ = "${version}"\n`);
    const args = ["-m", "build", "--wheel", "--no-isolation", "--outdir", wheels, sources];
    const { status, output } = await runCommand(python, args, { timeoutMs: BUILD_TIMEOUT_MS });
    if (status !== 0) throw new StartError("The Python wheel could not be built.", output);
    const [wheel] = await readdir(wheels);
    await mkdir(outFolder, { recursive: true });
    await cp(join(wheels, wheel), join(outFolder, wheel));
    return join(outFolder, wheel);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
