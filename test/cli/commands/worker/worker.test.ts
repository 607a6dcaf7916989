// `avatar worker`. What it serves is tested in `test/integration/self-hosted.test.ts`.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import t from "tap";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { checkShape } from "../../../helpers/service/check-shape.ts";

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

t.test("with --json it says in one object where it listens, and ends when it is told to", async (t) => {
  const options = ["--api-url", "http://127.0.0.1:9", "--port", "0", "--data-dir", await makeDataFolder(t), "--json"];
  const child = spawn(process.execPath, ["--import", "tsx", "cli/avatar.ts", "worker", ...options], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  const exited = once(child, "exit");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  checkShape(["worker", "--json"], { code: 0, stdout: line, stderr: "" });
  t.ok((await fetch(`${JSON.parse(line).url}/ready`)).status, "it listens there");
  child.kill("SIGTERM");
  t.same(await exited, [0, null]);
});
