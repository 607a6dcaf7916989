// `avatar doctor llm`.
import { freemem, totalmem } from "node:os";
import { LOCAL_SERVER_PORTS } from "../../../src/conversation/llm/find-local-server.ts";
import {
  type ListLocalModelsOptions,
  type LocalModel,
  listLocalModels,
} from "../../../src/conversation/llm/list-local-models.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { fittingTable } from "../../terminal/text-table.ts";
import { writeJson } from "../../terminal/write-json.ts";

const GIB = 1024 ** 3;

/** Ways to start a small model. What it wants of the memory is an estimate: its file, and as much again for a
 *  conversation of usual length. The service itself listens on 8080. */
const WAYS: readonly { command: string; memoryBytes: number; about: string }[] = [
  {
    command: "ollama run llama3.2",
    memoryBytes: 3.5 * GIB,
    about: "3 billion parameters, a download of 2 GB; from ollama.com",
  },
  {
    command: "llama-server -hf ggml-org/gemma-3-1b-it-GGUF --port 8000",
    memoryBytes: 1.5 * GIB,
    about: "1 billion parameters, a download of 0.8 GB; llama.cpp",
  },
];

export interface ReportLlmOptions extends ListLocalModelsOptions {
  json?: boolean;
}

/** Prints the models that programs on this machine offer. Throws CliError unavailable if none can chat. */
export async function reportLlm({ json, ports = LOCAL_SERVER_PORTS, timeoutMs }: ReportLlmOptions): Promise<void> {
  const models = await listLocalModels({ ports, timeoutMs });
  const used = models.find(({ isForChat }) => isForChat);
  if (json) writeJson(jsonOf(models, used));
  else if (used) process.stdout.write(describe(models, used));
  else process.stdout.write(describeWays());
  if (used) return;
  throw new CliError("unavailable", "No language model answers on this machine.", {
    hint: `Looked at 127.0.0.1, ports ${ports.join(", ")}. Without one, avatars answer from documents.`,
  });
}

function describe(models: readonly LocalModel[], used: LocalModel): string {
  const rows = models.map(({ model, program, baseUrl, sizeBytes, memoryBytes, isForChat }) => [
    isForChat ? model : `${model} (not for conversations)`,
    program,
    baseUrl,
    gigabytes(sizeBytes),
    memoryBytes === 0 ? "not loaded" : gigabytes(memoryBytes),
  ]);
  const table = fittingTable(["model", "program", "address", "size", "in memory"], rows);
  return `${table}\n\nConversations use ${used.model}, unless OPENAI_BASE_URL names another server. Open pages notice it within seconds.\n`;
}

function describeWays(): string {
  const free = `${gigabytes(freemem())} of ${gigabytes(totalmem())} of this machine's memory are free.`;
  const ways = WAYS.map(
    ({ command, memoryBytes, about }) => `  ${command}\n      wants ${gigabytes(memoryBytes)} of memory: ${about}`,
  );
  return `${free} To start a language model, for example:\n\n${ways.join("\n")}\n\nOpen pages notice it within seconds.\n`;
}

function jsonOf(models: readonly LocalModel[], used: LocalModel | undefined): Record<string, unknown> {
  return {
    ready: used !== undefined,
    used: used?.model ?? null,
    models: models.map(({ program, baseUrl, model, isForChat, sizeBytes, memoryBytes }) => ({
      program,
      base_url: baseUrl,
      model,
      is_for_chat: isForChat,
      size_bytes: sizeBytes,
      memory_bytes: memoryBytes,
    })),
    ways: WAYS.map(({ command, memoryBytes }) => ({ command, memory_bytes: memoryBytes })),
    free_memory_bytes: freemem(),
  };
}

function gigabytes(bytes: number | null): string {
  return bytes === null ? "not told" : `${(bytes / GIB).toFixed(1)} GB`;
}
