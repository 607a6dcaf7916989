// Writes the calls of the client: an interface for each resource, and the table that the client makes them from.
import { type ApiDocument, type ApiOperation, type ApiSchema, publicOperations } from "./api-operations.ts";

/** The client's verbs where they differ from the document's. */
const VERBS: Readonly<Record<string, string>> = { generate: "create" };

const COMMENT_LETTERS = 110;
const NOTE = "// Generated from api/openapi.json by `npm run openapi`. Do not edit.";
const CALLS_HEAD = `${NOTE}
import type { Call, CallOptions, ItemList, WithFiles } from "../call-types.ts";`;
const TABLE_HEAD = `${NOTE}
import type { OperationTable } from "../call-types.ts";
`;

interface ResourceMethod {
  resource: string;
  verb: string;
  summary: string;
  signature: string;
  row: Readonly<Record<string, string | boolean>>;
}

/** The two files. */
export function writeCalls(document: ApiDocument): { calls: string; operations: string } {
  const methods = publicOperations(document).map((found) => methodOf(document, found));
  const resources = [...new Set(methods.map(({ resource }) => resource))].sort();
  const of = (name: string) => methods.filter(({ resource }) => resource === name);
  const interfaces = resources.map((name) => {
    const lines = of(name).map(({ verb, summary, signature }) => `${comment(summary)}\n  ${verb}${signature};`);
    return `export interface ${pascal(name)}Calls {\n${lines.join("\n")}\n}\n`;
  });
  const rows = resources.map((name) => {
    const lines = of(name).map(({ verb, row }) => `    ${verb}: ${JSON.stringify(row)},`);
    return `  ${name}: {\n${lines.join("\n")}\n  },`;
  });
  const all = resources.map((name) => `  ${name}: ${pascal(name)}Calls;`);
  const table = `export const OPERATIONS = {\n${rows.join("\n")}\n} as const satisfies OperationTable;\n`;
  return {
    calls: [
      `${CALLS_HEAD}\n${importOf(methods)}`,
      ...interfaces,
      `export interface ApiCalls {\n${all.join("\n")}\n}\n`,
    ].join("\n"),
    operations: [TABLE_HEAD, table].join("\n"),
  };
}

/** Imports what the signatures name. */
function importOf(methods: readonly ResourceMethod[]): string {
  const text = methods.map(({ signature }) => signature).join("\n");
  const own = ["Call", "CallOptions", "ItemList", "NonNullable", "Response", "WithFiles"];
  const names = new Set((text.match(/\b[A-Z]\w+/g) ?? []).filter((name) => !own.includes(name)));
  return `import type {\n${[...names]
    .sort()
    .map((name) => `  ${name},\n`)
    .join("")}} from "./types.gen.ts";\n`;
}

function methodOf(
  document: ApiDocument,
  { path, method, operation }: { path: string; method: string; operation: ApiOperation },
): ResourceMethod {
  const [resource, named] = operation.operationId.split(".");
  const verb = VERBS[named] ?? named;
  const type = `${pascal(resource)}${pascal(named)}`;
  const { parameters = [], requestBody } = operation;
  const pathNames = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const bodyTypes = Object.keys(requestBody?.content ?? {});
  const hasForm = bodyTypes.includes("multipart/form-data");
  const bodySchema = resolve(document, Object.values(requestBody?.content ?? {})[0]?.schema);
  // Some parameters repeat a field of the body.
  const hasQuery = parameters.some(({ in: place, name }) => place === "query" && !bodySchema?.properties?.[name]);
  const answer = answerOf(document, operation, type);
  const given = pathNames.map((name) => `${camel(name)}: string`);
  if (requestBody) given.push(`body${isRequired(bodySchema) ? "" : "?"}: ${bodyType(type, hasForm)}`);
  if (hasQuery) given.push(`query?: ${type}Data["query"]`);
  given.push("options?: CallOptions");
  return {
    resource,
    verb,
    summary: [operation.summary, operation.description].filter(Boolean).join(". "),
    signature: `(${given.join(", ")}): ${answer.returns}`,
    row: {
      method: method.toUpperCase(),
      path,
      ...(operation.security.length === 0 && { isOpen: true }),
      ...(parameters.some(({ name }) => name === "Idempotency-Key") && { acceptsKey: true }),
      ...(requestBody && { body: bodyTypes.includes("application/json") ? (hasForm ? "either" : "json") : "form" }),
      ...(hasQuery && { hasQuery: true }),
      ...answer.row,
    },
  };
}

function bodyType(type: string, hasForm: boolean): string {
  const body = `NonNullable<${type}Data["body"]>`;
  return hasForm ? `WithFiles<${body}>` : body;
}

/** What a call returns, and how the client finds it in the answer. */
function answerOf(
  document: ApiDocument,
  { operationId, parameters = [], responses }: ApiOperation,
  type: string,
): { returns: string; row: ResourceMethod["row"] } {
  const content = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content ?? {};
  const [contentType] = Object.keys(content);
  const given = content["application/json"]?.schema;
  if (contentType && contentType !== "application/json") return { returns: "Call<Response>", row: { answer: "raw" } };
  // A text or JSON, as the request wants it.
  if (contentType && !given) return { returns: "Call<Response>", row: { answer: "raw" } };
  if (!given) return { returns: "Call<void>", row: {} };
  const whole = resolve(document, given);
  const isEnvelope = whole?.properties?.data && (whole.properties.success || whole.properties.status_code);
  const inner = isEnvelope ? whole?.properties?.data : given;
  const row: ResourceMethod["row"] = isEnvelope ? { answer: "data" } : {};
  const body = inner?.$ref ? nameOf(inner) : isEnvelope ? `${type}Response["data"]` : `${type}Response`;
  if (!/\.(list|axes)/.test(operationId)) return { returns: `Call<${body}>`, row };
  const place = findArray(document, whole);
  if (!place) throw new Error(`${operationId} lists nothing`);
  const item = place.schema.items?.$ref ? nameOf(place.schema.items) : "unknown";
  const isPaged = parameters.some(({ name }) => name === "offset");
  const listed = nameOf(given);
  return {
    returns: `ItemList<${item}, ${listed}>`,
    row: { items: place.path.join("."), ...(isPaged && { isPaged: true }) },
  };
}

/** A comment of lines that fit. */
function comment(text: string): string {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = [lines[lines.length - 1], word].filter(Boolean).join(" ");
    if (line.length <= COMMENT_LETTERS) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return `  /** ${lines.join("\n   *  ")} */`;
}

/** The array that is nearest to the top. */
function findArray(
  document: ApiDocument,
  top: ApiSchema | undefined,
): { path: string[]; schema: ApiSchema } | undefined {
  const queue = [{ path: [] as string[], schema: top }];
  for (const { path, schema } of queue) {
    if (path.length > 0 && schema?.type === "array") return { path, schema };
    for (const [name, child] of Object.entries(schema?.properties ?? {})) {
      queue.push({ path: [...path, name], schema: resolve(document, child) });
    }
  }
  return undefined;
}

function isRequired(body: (ApiSchema & { required?: string[] }) | undefined): boolean {
  return (body?.required ?? []).length > 0;
}

function resolve(document: ApiDocument, schema: ApiSchema | undefined): ApiSchema | undefined {
  return schema?.$ref ? document.components.schemas[nameOf(schema)] : schema;
}

function nameOf({ $ref = "" }: ApiSchema): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

function pascal(name: string): string {
  return name[0].toUpperCase() + name.slice(1);
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
