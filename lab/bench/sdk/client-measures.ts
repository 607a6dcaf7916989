// What the REST client costs: its size in a page, and CPU time for each call, above what `fetch` itself takes.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import type { Figure } from "./figure.ts";

const ENTRY = fileURLToPath(new URL("../../../sdk/client/index.ts", import.meta.url));
const ROUNDS = 40;
const CALLS = 250;

/** Runs in a process of its own, in which nothing else takes time: prints CPU ms for each call of both kinds, which
 *  take turns. The medians of the rounds are compared, because a round may meet a garbage collection. */
const PROGRAM = `
const [, bundle, baseUrl, rounds, calls] = process.argv;
const { Client } = await import(bundle);
const client = new Client({ baseUrl, apiSecret: "secret" });
const headers = { "api-secret": "secret", accept: "application/json" };
const bare = async () => (await (await fetch(baseUrl + "/v1/agent/A", { headers })).json()).data;
const ours = () => client.agents.get("A");
const cost = async (call) => {
  const start = process.cpuUsage();
  for (let count = 0; count < calls; count++) await call();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / calls;
};
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const costs = [bare, ours].map((call) => ({ call, ms: [] }));
for (const { call } of costs) await cost(call);
for (let round = 0; round < rounds; round++) for (const each of costs) each.ms.push(await cost(each.call));
console.log(JSON.stringify(costs.map(({ ms }) => median(ms))));
`;

export async function measureClient(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-client-"));
  try {
    const outfile = join(folder, "client.mjs");
    await build({ entryPoints: [ENTRY], bundle: true, minify: true, format: "esm", target: "es2022", outfile });
    const size = brotliCompressSync(await readFile(outfile)).length;
    return [
      { name: "REST client in a page (brotli)", value: size / 1000, unit: "KB", goal: 15, better: "lower" },
      { name: "CPU of a call above fetch", value: await callCost(outfile), unit: "ms", goal: 0.1, better: "lower" },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function callCost(bundle: string): Promise<number> {
  const agent = JSON.stringify({ success: true, data: { agent_id: "A", status: "ready", model_status: {} } });
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json").end(agent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const given = [pathToFileURL(bundle).href, baseUrl, String(ROUNDS), String(CALLS)];
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", PROGRAM, ...given]);
    const [bare, ours] = JSON.parse(stdout) as [number, number];
    return ours - bare;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
