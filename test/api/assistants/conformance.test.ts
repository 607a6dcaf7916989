// The protocol's own suite against /mcp: the scenarios that need neither sessions nor tools of the suite's own.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { withIdleApi } from "../../helpers/service/with-api.ts";

const PACKAGE = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/conformance/", import.meta.url));
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/open-avatar-service-tests/", import.meta.url));
const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"];

t.test("the conformance suite", async (t) => {
  const suite = await runnableSuite();
  await withIdleApi(async ({ baseUrl, addAccount }) => {
    const { secret } = await addAccount();
    await withSecret(baseUrl, secret, async (url) => {
      for (const scenario of SCENARIOS) {
        const ran = promisify(execFile)(process.execPath, [suite, "server", "--url", url, "--scenario", scenario]);
        const { stdout } = await ran.catch((error) => error);
        t.match(stdout, /Passed: [1-9]\d*\/\d+, 0 failed/, `${scenario}: ${stdout}`);
      }
    });
  });
});

/** The suite imports a function that Node has from version 22 on; server scenarios do not call it. */
async function runnableSuite(): Promise<string> {
  const text = await readFile(join(PACKAGE, "dist/index.js"), "utf8");
  const folder = join(CACHE, `conformance-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, "suite.mjs");
  const [, name] = /\bglobSync as (\w+),/.exec(text) ?? [];
  const patched = text
    .replace(/\bglobSync as \w+,/, "")
    .replace(/^import/m, `const ${name ?? "unused"} = () => [];import`);
  await writeFile(path, patched);
  return path;
}

/** The suite sends no headers of one's own: a server before the api adds the secret. */
async function withSecret(baseUrl: string, secret: string, work: (url: string) => Promise<void>): Promise<void> {
  const { port: target } = new URL(baseUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, "api-secret": secret };
    const passed = request({ host: "127.0.0.1", port: target, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://localhost:${(server.address() as AddressInfo).port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
