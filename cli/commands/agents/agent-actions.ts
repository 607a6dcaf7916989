// What `avatar agents list`, `show`, `prompt` and `delete` do.
import { z } from "zod";
import { openClient } from "../../account/open-client.ts";
import { readAnswer } from "../../account/read-answer.ts";
import { askLine } from "../../terminal/ask-line.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { readStandardInput } from "../../terminal/read-standard-input.ts";
import { fittingTable } from "../../terminal/text-table.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { parseCount } from "../parse-count.ts";
import {
  agentShape,
  agentSummaryShape,
  type agentsDeleteShape,
  type agentsListShape,
  type agentsPromptShape,
} from "./shapes.ts";

const MOST_AGENTS = 200;
const MOST_PROMPT_BYTES = 1_000_000;

interface JsonOption {
  json?: boolean;
}

export async function listAgents(
  environment: Environment,
  { search, limit, json }: { search?: string; limit: string } & JsonOption,
): Promise<void> {
  const most = parseCount(limit, "--limit", MOST_AGENTS);
  const client = await openClient(environment);
  const { items, hasMore } = await client.agents.list({ limit: most, search });
  const shown: z.output<typeof agentsListShape> = {
    agents: readAnswer(z.array(agentSummaryShape), items),
    has_more: hasMore,
  };
  if (json) return writeJson(shown);
  if (shown.agents.length === 0) {
    const what = search === undefined ? "You have no agents. avatar agents create makes one." : "No agent matches.";
    process.stdout.write(`${what}\n`);
    return;
  }
  const rows = shown.agents.map(({ code, name, status, model, created_at }) =>
    [code, name, status, model, created_at.slice(0, 10)].map(plainText),
  );
  process.stdout.write(`${fittingTable(["agent", "name", "status", "model", "made"], rows)}\n`);
  if (hasMore) writeNote(`There are more: --limit shows up to ${MOST_AGENTS}, --search finds one.`);
}

export async function showAgent(environment: Environment, code: string, { json }: JsonOption): Promise<void> {
  const client = await openClient(environment);
  const agent = readAnswer(agentShape, await client.agents.get(code));
  if (json) return writeJson(agent);
  const { name, status, model, supported_models, voice_id, language, kb_ids, error_message, greeting } = agent;
  const isMaking = status !== "ready" && status !== "failed";
  const lines: [string, string][] = [
    ["Status", isMaking ? `${status}, ${Math.round(agent.progress * 100)} %: ${agent.progress_msg}` : status],
    ["Problem", error_message ?? ""],
    ["Model", [model, ...supported_models.filter((other) => other !== model)].join(", ")],
    ["Voice", `${voice_id}, ${language}`],
    ["Greeting", greeting],
    ["Knows", kb_ids.length === 0 ? "" : `${kb_ids.length} knowledge bases`],
  ];
  const told = lines
    .filter(([, value]) => value !== "")
    .map(([label, value]) => `${label.padEnd(10)}${plainText(value)}`);
  process.stdout.write(`${[`${plainText(name) || "Unnamed"} (${agent.code})`, ...told].join("\n")}\n`);
}

export async function promptAgent(
  environment: Environment,
  { code, text, json }: { code: string; text: string | undefined } & JsonOption,
): Promise<void> {
  const client = await openClient(environment);
  if (text === undefined) {
    const { system_prompt } = readAnswer(agentShape, await client.agents.get(code));
    const shown: z.output<typeof agentsPromptShape> = { code, system_prompt, updated: false };
    if (json) return writeJson(shown);
    process.stdout.write(`${system_prompt}\n`);
    return;
  }
  const prompt = text === "-" ? (await readStandardInput(MOST_PROMPT_BYTES)).trim() : text;
  if (prompt === "") throw new CliError("usage", "The prompt is empty.");
  await client.agents.update(code, { system_prompt: prompt });
  const shown: z.output<typeof agentsPromptShape> = { code, system_prompt: prompt, updated: true };
  if (json) return writeJson(shown);
  process.stdout.write(`${code} has the new prompt, from its next session on.\n`);
}

export async function deleteAgent(
  environment: Environment,
  code: string,
  { yes, json }: { yes?: boolean } & JsonOption,
): Promise<void> {
  const client = await openClient(environment);
  if (!yes) {
    if (json || !process.stdin.isTTY) {
      throw new CliError("usage", "An agent is deleted for good.", { hint: "--yes does it without asking." });
    }
    const { name } = readAnswer(agentShape, await client.agents.get(code));
    const typed = await askLine(`${plainText(name)} is deleted for good. Type its code ${code} to go on: `);
    if (typed !== code) throw new CliError("generic", "That is not its code. No agent was deleted.");
  }
  await client.agents.delete(code);
  const shown: z.output<typeof agentsDeleteShape> = { code, deleted: true };
  if (json) return writeJson(shown);
  process.stdout.write(`${code} is deleted.\n`);
}
