// What assistants wait for: the start of `avatar mcp` of the archive, and what `/mcp` takes above the REST call.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Figure } from "./figure.ts";
import type { SdkBench } from "./sdk-part.ts";
import { withUnpackedCommand } from "./unpacked-command.ts";

const STARTS = 7;
const ROUNDS = 200;
const WARM_ROUNDS = 30;
const START_LIMIT_MS = 60_000;

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

export async function measureAssistants({ environment, progress, service }: SdkBench): Promise<Figure[]> {
  const starts = await withUnpackedCommand(progress, async ({ script }) => {
    const times: number[] = [];
    for (let count = 0; count < STARTS; count++) times.push(await timeStart(script, environment));
    return times;
  });
  const { client, apiSecret, agentCode } = await service();
  const above = await timeAbove(client.baseUrl, apiSecret, agentCode);
  return [
    { name: "avatar mcp: start to the list of tools", value: median(starts), unit: "ms", goal: 500, better: "lower" },
    { name: "/mcp: a call above its REST call", value: above, unit: "ms", goal: 5, better: "lower" },
  ];
}

/** Ms from the start of the process to the list. */
async function timeStart(script: string, environment: SdkBench["environment"]): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [script, "mcp"], {
    env: { ...environment },
    stdio: ["pipe", "pipe", "inherit"],
    timeout: START_LIMIT_MS,
  });
  child.stdin.write(`${JSON.stringify(HELLO)}\n${JSON.stringify(LIST)}\n`);
  try {
    await untilAnswer(child, LIST.id);
    return performance.now() - startedMs;
  } finally {
    child.stdin.end();
  }
}

function untilAnswer(child: ChildProcess, id: number): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("exit", () => reject(new Error("avatar mcp ended without an answer")));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if ((JSON.parse(line) as { id?: number }).id === id) resolve();
    });
  });
}

/** Ms of a call by /mcp above the same call by REST. Both take turns, so that they meet the same load. */
async function timeAbove(baseUrl: string, secret: string, code: string): Promise<number> {
  const headers = { "api-secret": secret, "content-type": "application/json" };
  const rest = () => timed(`${baseUrl}/v1/agent/${code}`, { headers });
  const params = { name: "get_agent", arguments: { agent_id: code } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params });
  const accept = "application/json, text/event-stream";
  const tool = () => timed(`${baseUrl}/mcp`, { method: "POST", headers: { ...headers, accept }, body });
  const times: [rest: number, tool: number][] = [];
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) times.push([await rest(), await tool()]);
  const measured = times.slice(WARM_ROUNDS);
  return median(measured.map(([, ms]) => ms)) - median(measured.map(([ms]) => ms));
}

async function timed(url: string, init: RequestInit): Promise<number> {
  const startedMs = performance.now();
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text.slice(0, 200)}`);
  return performance.now() - startedMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1];
}
