// A schema as rows to read: name, type, what a value may be.
import type { ApiDocument, ApiSchema } from "./api-document.ts";

export interface SchemaField {
  name: string;
  /** For people: `string or null`, `list of objects`. */
  type: string;
  isRequired: boolean;
  isDeprecated: boolean;
  description: string;
  /** Default and bounds, each a short phrase. */
  notes: readonly string[];
  /** Values to choose from, as JSON; empty if there is no such list. */
  values: readonly string[];
  /** Objects that the value may be or contain. */
  shapes: readonly ApiSchema[];
}

/** Bounds of JSON's safe integers, which say nothing. */
const SAFE = Number.MAX_SAFE_INTEGER;
/** A longer pattern helps no reader. */
const MOST_PATTERN_CHARACTERS = 60;

/** The fields of an object, the required ones first; empty for any other schema. */
export function fieldsOf(document: ApiDocument, schema: ApiSchema): SchemaField[] {
  const { properties = {}, required = [] } = document.resolve(schema);
  const fields = Object.entries(properties).map(([name, field]) =>
    fieldOf(document, { name, schema: field, isRequired: required.includes(name) }),
  );
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

/** One field or parameter. */
export function fieldOf(
  document: ApiDocument,
  { name, schema, isRequired }: { name: string; schema: ApiSchema; isRequired: boolean },
): SchemaField {
  const resolved = document.resolve(schema);
  return {
    name,
    type: typeOf(document, resolved),
    isRequired,
    isDeprecated: resolved.deprecated ?? false,
    description: resolved.description ?? "",
    notes: notesOf(document, resolved),
    values: valuesOf(document, resolved).map((value) => JSON.stringify(value)),
    shapes: shapesOf(document, resolved),
  };
}

/** The objects with fields that a value is, lists, or chooses from. */
export function shapesOf(document: ApiDocument, schema: ApiSchema): ApiSchema[] {
  const resolved = document.resolve(schema);
  if (resolved.properties) return [resolved];
  const { additionalProperties, items } = resolved;
  const inner = [...alternativesOf(resolved), ...(items ? [items] : [])];
  if (typeof additionalProperties === "object") inner.push(additionalProperties);
  return inner.flatMap((part) => shapesOf(document, part));
}

function typeOf(document: ApiDocument, schema: ApiSchema): string {
  const resolved = document.resolve(schema);
  const alternatives = alternativesOf(resolved);
  if (alternatives.length > 0) return unique(alternatives.map((one) => typeOf(document, one))).join(" or ");
  if (Array.isArray(resolved.type)) return resolved.type.join(" or ");
  if (resolved.const !== undefined) return JSON.stringify(resolved.const);
  if (resolved.type === "array") return `list of ${plural(typeOf(document, resolved.items ?? {}))}`;
  if (resolved.type === undefined && !resolved.properties) return "any value";
  return resolved.format === "binary" ? "file" : String(resolved.type ?? "object");
}

/** Values of the enum that it is, or that is one of its alternatives. */
function valuesOf(document: ApiDocument, schema: ApiSchema): unknown[] {
  const resolved = document.resolve(schema);
  if (resolved.items) return valuesOf(document, resolved.items);
  return [...(resolved.enum ?? []), ...alternativesOf(resolved).flatMap((one) => valuesOf(document, one))];
}

function notesOf(document: ApiDocument, schema: ApiSchema): string[] {
  const own = [
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
    rangeOf(schema.minimum, schema.maximum, ""),
    rangeOf(schema.minLength, schema.maxLength, " characters"),
    rangeOf(schema.minItems, schema.maxItems, " elements"),
    schema.format && schema.format !== "binary" ? `a ${schema.format}` : "",
    // A format says it better.
    !schema.format && schema.pattern && schema.pattern.length <= MOST_PATTERN_CHARACTERS
      ? `matches ${schema.pattern}`
      : "",
  ];
  const inner = alternativesOf(schema).flatMap((one) => notesOf(document, document.resolve(one)));
  return unique([...own, ...inner].filter((note) => note !== ""));
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string {
  const from = least === undefined || least <= -SAFE ? undefined : least;
  const to = most === undefined || most >= SAFE ? undefined : most;
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (to !== undefined) return `at most ${to}${unit}`;
  return from === undefined ? "" : `at least ${from}${unit}`;
}

function alternativesOf({ anyOf, oneOf }: ApiSchema): readonly ApiSchema[] {
  return anyOf ?? oneOf ?? [];
}

function plural(type: string): string {
  return /^[a-z]+$/.test(type) ? `${type}s` : type;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
