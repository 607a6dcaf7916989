// A request that a visitor is about to send: an operation with values for its parameters and its body. Samples are
// written from it, and "Try it" sends it.
import type { PlannedBody, PlannedRequest } from "../shared/code/planned-request.ts";
import type { ApiContent, ApiDocument, ApiOperation, ApiSchema } from "./api-document.ts";

/** The visitor's own values by the placeholder that examples use for them: `AGENT_CODE`. */
export type KnownValues = Readonly<Record<string, string>>;

export interface RequestDraft {
  /** By name; an empty value is not sent. */
  parameters: Readonly<Record<string, string>>;
  /** JSON, or the text of another body; undefined if none is sent. */
  bodyText: string | undefined;
  /** Values of a form by field; of a file, its name. */
  form: Readonly<Record<string, string>>;
}

/** Placeholders of parameters that have another name in examples. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { code: "AGENT_CODE", agent_id: "AGENT_CODE" };
const SAVED_AS: Readonly<Record<string, string>> = {
  "audio/wav": "answer.wav",
  "application/sdp": "answer.sdp",
  "application/octet-stream": "answer.bin",
};
const SENT_FILES: Readonly<Record<string, string>> = { "application/sdp": "offer.sdp" };
/** Deeper schemas are left out of made-up bodies. */
const DEEPEST = 4;

/** The placeholder of a parameter: what stands in a sample until the visitor's own value is known. */
function placeholderOf(operation: ApiOperation, name: string): string {
  if (name === "id") return `${operation.id.split(".")[0].replace(/s$/, "").replace(/[A-Z]/g, "_$&").toUpperCase()}_ID`;
  return PLACEHOLDERS[name] ?? name.toUpperCase();
}

/** The document's example, with the visitor's own values. */
export function draftOf(document: ApiDocument, operation: ApiOperation, known: KnownValues): RequestDraft {
  const own = (text: string) => known[text] ?? text;
  const parameters = operation.parameters.flatMap((parameter): [string, string][] => {
    if (parameter.in === "header") return [];
    const example = parameter.example === undefined ? "" : String(parameter.example);
    const isNeeded = parameter.in === "path" || parameter.required;
    return [[parameter.name, own(example || (isNeeded ? placeholderOf(operation, parameter.name) : ""))]];
  });
  const [content] = operation.bodies;
  const example = content && withOwn(content.example ?? madeUp(document, content.schema, DEEPEST), known);
  return {
    parameters: Object.fromEntries(parameters),
    bodyText: content?.type === "application/json" ? JSON.stringify(example, null, 2) : content && "",
    form: content?.type === "multipart/form-data" ? textsOf(example) : {},
  };
}

/** The request. `base` is the address below which the service is served. Throws SyntaxError for a body that is not
 *  JSON. */
export function planRequest(
  document: ApiDocument,
  operation: ApiOperation,
  { draft, base }: { draft: RequestDraft; base: string },
): PlannedRequest {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(draft.parameters[name]));
  const url = new URL(path.slice(1), base);
  for (const { name, in: place } of operation.parameters) {
    if (place === "query" && draft.parameters[name]) url.searchParams.set(name, draft.parameters[name]);
  }
  const [content] = operation.bodies;
  const answered = operation.answers.find(({ status }) => status < 300)?.content?.type ?? "";
  return {
    method: operation.method,
    url: url.href,
    credential: operation.credential,
    body: content && plannedBody(document, content, draft),
    savedAs: SAVED_AS[answered],
  };
}

function plannedBody(document: ApiDocument, { type, schema }: ApiContent, draft: RequestDraft): PlannedBody {
  if (type === "application/json") return { kind: "json", value: JSON.parse(draft.bodyText ?? "{}") };
  if (type !== "multipart/form-data") return { kind: "file", type, name: SENT_FILES[type] ?? "body.txt" };
  const given = Object.entries(draft.form).filter(([, value]) => value !== "");
  const isFile = ([name]: [string, string]) => isBinary(document, schema, name);
  return { kind: "form", texts: given.filter((entry) => !isFile(entry)), files: given.filter(isFile) };
}

/** Whether a field of a form is a file. */
export function isBinary(document: ApiDocument, schema: ApiSchema, name: string): boolean {
  const field = document.resolve(document.resolve(schema).properties?.[name] ?? {});
  return [field, ...(field.anyOf ?? []).map((one) => document.resolve(one))].some(({ format }) => format === "binary");
}

/** A value that has the schema's required fields. Examples of the schemas are used. */
function madeUp(document: ApiDocument, schema: ApiSchema, depth: number): unknown {
  const resolved = document.resolve(schema);
  if (resolved.examples?.length) return resolved.examples[0];
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum) return resolved.enum[0];
  const alternatives = resolved.anyOf ?? resolved.oneOf;
  if (alternatives) return madeUp(document, alternatives[0], depth);
  if (resolved.properties) {
    const needed = depth > 0 ? (resolved.required ?? []) : [];
    const { properties } = resolved;
    return Object.fromEntries(needed.map((name) => [name, madeUp(document, properties[name] ?? {}, depth - 1)]));
  }
  if (resolved.type === "array") return [];
  if (resolved.type === "integer" || resolved.type === "number") return resolved.minimum ?? 0;
  if (resolved.type === "boolean") return false;
  return "";
}

function withOwn(value: unknown, known: KnownValues): unknown {
  if (typeof value === "string") return known[value] ?? value;
  if (Array.isArray(value)) return value.map((one) => withOwn(one, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withOwn(one, known)]));
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, one]) => [name, String(one)]));
}
