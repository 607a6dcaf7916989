// Generates `sdk/client/generated/` from the OpenAPI document: the types of all bodies and answers, and the calls.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import { type ApiDocument, publicOperations } from "./api-operations.ts";
import { writeCalls } from "./write-calls.ts";

/** The generated files, by name. */
export async function generateClient(document: ApiDocument): Promise<Record<string, string>> {
  const { calls, operations } = writeCalls(document);
  return { "types.gen.ts": await writeTypes(document), "calls.gen.ts": calls, "operations.gen.ts": operations };
}

async function writeTypes(document: ApiDocument): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-client-"));
  try {
    const input = join(folder, "openapi.json");
    await writeFile(input, JSON.stringify(withoutErrors(document)));
    await createClient({
      input,
      output: { path: join(folder, "out"), entryFile: false },
      plugins: ["@hey-api/typescript"],
      logs: { level: "silent" },
    });
    return await readFile(join(folder, "out", "types.gen.ts"), "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The document with the public operations alone, and with their successful answers alone: the client has an error
 *  class for each status, so types of error bodies would be of no use. */
function withoutErrors(document: ApiDocument): ApiDocument {
  const paths: ApiDocument["paths"] = {};
  for (const { path, method, operation } of publicOperations(document)) {
    const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
    const responses = Object.fromEntries(
      answers.map(([status, { content }]) => [status, { description: "", content }]),
    );
    paths[path] = { ...paths[path], [method]: { ...operation, responses } };
  }
  const { Error: _, ErrorDetail: __, ...schemas } = document.components.schemas;
  return { ...document, paths, components: { schemas } };
}
