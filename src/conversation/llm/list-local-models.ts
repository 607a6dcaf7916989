// Lists the language models that programs on this machine offer, with size and memory where a program tells them.
import { isForChat, LOCAL_SERVER_PORTS } from "./find-local-server.ts";
import { readBoundedJson } from "./read-bounded-json.ts";

/** For all programs together, ms: one that loads a model answers slowly. */
const TIMEOUT_MS = 2_000;
const MAX_BYTES = 1024 * 1024;
const MAX_MODELS = 200;
const MAX_NAME_CHARACTERS = 120;
/** Programs by the owner that they name for their models, and by their usual port. */
const PROGRAMS: readonly { name: string; owner: string; port: number }[] = [
  { name: "Ollama", owner: "library", port: 11_434 },
  { name: "llama.cpp", owner: "llamacpp", port: 8080 },
  { name: "vLLM", owner: "vllm", port: 8000 },
  { name: "LM Studio", owner: "organization_owner", port: 1234 },
];

export interface LocalModel {
  /** The program's name, or "unknown". */
  program: string;
  baseUrl: string;
  model: string;
  /** Whether it can answer in a conversation, by its name. */
  isForChat: boolean;
  /** Of its file; null if the program does not tell. */
  sizeBytes: number | null;
  /** What it takes of the memory now; 0 if it is not loaded, null if the program does not tell. */
  memoryBytes: number | null;
}

export interface ListLocalModelsOptions {
  /** Default: the usual ones. */
  ports?: readonly number[];
  /** Default 2,000. */
  timeoutMs?: number;
}

/** All models, by program in the order in which conversations prefer them. Contacts 127.0.0.1 only, sends no key,
 *  follows no redirect. Never rejects: what does not answer in time, or is no list of models, has none. */
export async function listLocalModels(options: ListLocalModelsOptions = {}): Promise<LocalModel[]> {
  const { ports = LOCAL_SERVER_PORTS, timeoutMs = TIMEOUT_MS } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  return (await Promise.all(ports.map((port) => modelsAt(port, signal)))).flat();
}

async function modelsAt(port: number, signal: AbortSignal): Promise<LocalModel[]> {
  const origin = `http://127.0.0.1:${port}`;
  const read = (path: string) => readBoundedJson(`${origin}${path}`, { signal, maxBytes: MAX_BYTES }).catch(() => null);
  const list = record(await read("/v1/models"));
  if (list.object !== "list") return [];
  const entries = records(list.data);
  const owner = entries.map(({ owned_by }) => owned_by).find((name) => typeof name === "string");
  const program = PROGRAMS.find((known) => known.owner === owner) ?? PROGRAMS.find((known) => known.port === port);
  const details = program?.name === "Ollama" ? await ollamaDetails(read) : new Map<string, Details>();
  return entries.flatMap(({ id, meta }) => {
    if (typeof id !== "string" || id === "") return [];
    // llama.cpp tells the size beside the name.
    const { sizeBytes = bytes(record(meta).size), memoryBytes = null } = details.get(id) ?? {};
    const model = printable(id);
    return [
      {
        program: program?.name ?? "unknown",
        baseUrl: `${origin}/v1`,
        model,
        isForChat: isForChat(id),
        sizeBytes,
        memoryBytes,
      },
    ];
  });
}

interface Details {
  sizeBytes: number | null;
  memoryBytes: number | null;
}

/** Ollama tells sizes in its own list, and what is loaded in another one. */
async function ollamaDetails(read: (path: string) => Promise<unknown>): Promise<Map<string, Details>> {
  const [tags, running] = await Promise.all([read("/api/tags"), read("/api/ps")]);
  const loaded = new Map(records(record(running).models).map(({ name, size }) => [name, bytes(size)]));
  const isTold = running !== null && running !== undefined;
  return new Map(
    records(record(tags).models).flatMap(({ name, size }) => {
      if (typeof name !== "string") return [];
      return [[name, { sizeBytes: bytes(size), memoryBytes: loaded.get(name) ?? (isTold ? 0 : null) }] as const];
    }),
  );
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.slice(0, MAX_MODELS).map(record) : [];
}

function bytes(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Without what a terminal would execute. */
function printable(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "").slice(0, MAX_NAME_CHARACTERS);
}
