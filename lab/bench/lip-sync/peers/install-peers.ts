// Fetches the peers from the npm registry into a temporary folder.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../../../../cli/start/processes/run-command.ts";
import { StartError } from "../../../../cli/start/start-error.ts";
import { PEERS } from "./peer.ts";

const INSTALL_TIMEOUT_MS = 180_000;

/** Runs `work` with the folder that holds the installed peers (below node_modules) and removes it afterwards. Their
 *  install scripts are not run. Throws StartError if they cannot be fetched. */
export async function withPeers<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "lip-sync-peers-"));
  try {
    const packages = Object.values(PEERS).map((peer) => `${peer.package}@${peer.version}`);
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error"];
    const { status, output } = await runCommand("npm", ["install", "--prefix", folder, ...quiet, ...packages], {
      cwd: folder,
      timeoutMs: INSTALL_TIMEOUT_MS,
    });
    if (status !== 0) {
      throw new StartError(
        `The peers could not be fetched from the npm registry: ${firstError(output)}`,
        `They are ${packages.join(", ")}. Leave out --peers to measure our lip sync alone; nothing is fetched then.`,
      );
    }
    return await work(join(folder, "node_modules"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function firstError(output: string): string {
  const errors = output.split("\n").filter((line) => /^npm (error|ERR!)/.test(line) && !line.includes("complete log"));
  return (errors.at(0) ?? output.trim().split("\n").at(-1) ?? "").trim() || "nothing (it took too long)";
}
