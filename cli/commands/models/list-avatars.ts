// Implements `avatar list`.
import type { z } from "zod";
import { findServiceUrl } from "../../account/credentials.ts";
import { openClient, openPublicClient, requireCredentials } from "../../account/open-client.ts";
import type { Environment } from "../../terminal/environment.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { fittingTable } from "../../terminal/text-table.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { cacheFolder } from "./cache-folder.ts";
import { ModelStore } from "./model-store.ts";
import type { listMineShape, listShape } from "./shapes.ts";

interface ListRequest {
  json?: boolean;
}

const SIZE_COLUMN = 3;
/** More agents than an account has. */
const MAX_AGENTS = 10_000;
const PAGE = 100;

/** Prints the samples that can be fetched now. Throws the client's errors. */
export async function listSamples({ json }: ListRequest, environment: Environment): Promise<void> {
  const client = await openPublicClient(environment);
  const { items } = await client.samples.list();
  const isPulled = findPulled(await findServiceUrl(environment), environment);
  const samples: z.input<typeof listShape>["samples"] = await Promise.all(
    items.map(async ({ slug, agent_code: code, name, model, size }) => {
      return { slug, code, name, model, bytes: size, pulled: await isPulled(code) };
    }),
  );
  if (json) return writeJson({ samples });
  if (samples.length === 0) {
    return writeNote("The service is making its sample avatars. Ask again in a minute.");
  }
  const rows = samples.map(({ slug, name, model, bytes, pulled }) => [
    plainText(slug),
    plainText(name),
    plainText(model),
    `${(bytes / 1e6).toFixed(1)} MB`,
    pulled ? "pulled" : "",
  ]);
  const table = fittingTable(["slug", "name", "model", "size", "here"], rows, { right: [SIZE_COLUMN] });
  process.stdout.write(`${table}\n`);
}

/** Prints the agents of the account. Throws CliError(no_permission) without a sign-in, and the client's errors. */
export async function listAgents({ json }: ListRequest, environment: Environment): Promise<void> {
  const { baseUrl } = await requireCredentials(environment);
  const client = await openClient(environment);
  const isPulled = findPulled(baseUrl, environment);
  const agents: z.infer<typeof listMineShape>["agents"] = [];
  for await (const agent of client.agents.list({ limit: PAGE })) {
    const { code, name, status, model, supported_models: models, created_at } = agent;
    agents.push({ code, name, status, model, models, created_at, pulled: await isPulled(code) });
    if (agents.length === MAX_AGENTS) break;
  }
  if (json) return writeJson({ agents });
  if (agents.length === 0) return writeNote("You have no agents yet. avatar agents create makes one.");
  const rows = agents.map(({ code, name, status, model, created_at, pulled }) => [
    plainText(code),
    plainText(name),
    status,
    plainText(model),
    created_at.slice(0, 10),
    pulled ? "pulled" : "",
  ]);
  process.stdout.write(`${fittingTable(["code", "name", "status", "model", "created", "here"], rows)}\n`);
}

/** Tells whether a file of an avatar is here; none is read. */
function findPulled(baseUrl: string, environment: Environment): (code: string) => Promise<boolean> {
  const cache = cacheFolder(environment);
  return (code) => new ModelStore(cache, baseUrl, code).hasAny();
}
