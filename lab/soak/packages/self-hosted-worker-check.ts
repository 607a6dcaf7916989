// A worker without a secret, and the example that launches an avatar on it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "../../../sdk/client/index.ts";
import { PackedProject } from "../../../test/helpers/packages/packed-project.ts";
import { waitFor } from "../../../test/helpers/wait-for.ts";
import { ROOT } from "../../packages/source-package.ts";
import { type ExampleCheck, type ExampleRun, expect } from "./example-check.ts";

export const checkSelfHostedWorker: ExampleCheck = {
  example: "self-hosted-worker",
  async check(run) {
    const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-worker-"));
    const machine = new PackedProject(ROOT);
    try {
      const { AVATAR_API_URL } = run.environment;
      const settings = { AVATAR_API_URL, AVATAR_WORKER_PORT: "0", AVATAR_DATA_DIR: dataDir, AVATAR_ADMISSION: "fixed" };
      const worker = machine.start(
        process.execPath,
        ["--import", "tsx", "cli/avatar.ts", "worker", "--json"],
        settings,
      );
      const [, workerUrl] = await worker.printed(/"url":"([^"]+)"/);
      await launch(run, workerUrl);
    } finally {
      await machine.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

async function launch({ project, environment, service }: ExampleRun, workerUrl: string): Promise<void> {
  const AGENT_CODE = service.agentCode;
  const example = project.start("npm", ["start"], { ...environment, AGENT_CODE, WORKER_URL: workerUrl, SECONDS: "3" });
  await example.printed(/The avatar is in lobby\./);
  const [, session] = await example.printed(/, as session (\w+)/);
  expect((await example.ended()) === 0, `ended with an error:\n${example.output}`);
  const client = new Client({ baseUrl: environment.AVATAR_API_URL, apiSecret: service.apiSecret });
  const hasEnded = async () => (await client.sessions.get(session)).status === "ended";
  await waitFor(hasEnded, `the service knows that ${session} has ended`);
}
