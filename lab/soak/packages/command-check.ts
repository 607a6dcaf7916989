// The command as npm installs it, with all packages that it depends on, in an empty folder: a film, and the whole
// service.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { createProgress } from "../../../cli/start/progress.ts";
import { PackedProject } from "../../../test/helpers/packages/packed-project.ts";
import { buildCommand } from "../../packages/command/build-command.ts";
import { ROOT } from "../../packages/source-package.ts";

const INSTALL = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
const INSTALL_TIMEOUT_MS = 15 * 60_000;
const LEAST_FILM_BYTES = 10_000;
const PORTRAIT = join(ROOT, "models", "gallery", "mona-lisa.jpg");

/** What is wrong; undefined if all is well. Takes minutes, and half a gigabyte of packages. */
export async function checkCommand(report: (line: string) => void): Promise<string | undefined> {
  const { command, parts } = await buildCommand(createProgress(null));
  const project = new PackedProject(await mkdtemp(join(tmpdir(), "open-avatar-installed-")));
  const folder = project.folder;
  try {
    const archives = [command, ...parts].map(({ archive }) => archive);
    await project.run("npm", [...INSTALL, ...archives], {}, INSTALL_TIMEOUT_MS);
    report("command: installed, with its parts");
    // Nothing may be fetched: all parts are beside the command.
    const environment = { AVATAR_PARTS_URL: "http://127.0.0.1:9", AVATAR_PARTS_DIR: join(folder, "parts") };
    await project.run("npx", ["avatar", "--help"], environment);
    await project.run("npx", ["avatar", "render", PORTRAIT, "--text", "Hello.", "-o", "film.mp4"], environment);
    if ((await stat(join(folder, "film.mp4"))).size < LEAST_FILM_BYTES) return "the film is empty";
    report("command: a film of a picture that speaks");
    const port = await findFreePort();
    const service = project.start("npx", ["avatar", "start", "--json"], { ...environment, PORT: String(port) });
    const { url, demo_agent } = JSON.parse((await service.printed(/^\{.*\}$/m))[0]);
    for (const path of ["/", "/readyz", "/docs", "/demo"]) {
      const { status } = await fetch(url + path);
      if (status !== 200) return `${path} of the service answers ${status}`;
    }
    report(`command: the service is ready, with the agent ${demo_agent}`);
    await service.stop();
    if ((await readdir(folder)).includes("parts")) return "a part was fetched that is installed";
    return undefined;
  } finally {
    await project.close();
    await rm(folder, { recursive: true, force: true });
  }
}
