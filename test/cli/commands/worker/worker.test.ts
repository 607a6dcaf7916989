// `avatar worker`. What it serves is tested in `test/integration/self-hosted.test.ts`.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import t from "tap";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

t.test("a port that is in use is named in one sentence, with the option that changes it", async (t) => {
  const squatter = createServer().listen(0, "127.0.0.1");
  await once(squatter, "listening");
  t.teardown(() => squatter.close());
  const { port } = squatter.address() as AddressInfo;
  const options = ["--api-url", "http://127.0.0.1:9", "--port", String(port), "--data-dir", await makeDataFolder(t)];
  // The whole program: its child process writes to the same standard error.
  const { status, output } = await new Promise<{ status: unknown; output: string }>((resolve) => {
    const words = ["--import", "tsx", "cli/avatar.ts", "worker", ...options];
    const settings = { cwd: ROOT, env: { PATH: process.env.PATH, HOME: process.env.HOME, AVATAR_LOG_LEVEL: "warn" } };
    execFile(process.execPath, words, settings, (error, stdout, stderr) => {
      resolve({ status: error?.code, output: stdout + stderr });
    });
  });
  t.equal(status, 2);
  t.match(output, new RegExp(`Port ${port} of 127.0.0.1 is in use, perhaps by another worker: .*--port`));
  t.notMatch(output, /^\s+at |EADDRINUSE/m, "no stack trace");
});
