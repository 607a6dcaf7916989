// Validates one part of a request against its schema. The error is one sentence.
import type { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";

const MAX_ISSUES_SHOWN = 5;
/** Requests of the contract nest only a few levels. This limit makes recursion over a value safe. */
const MAX_NESTING = 64;

/** The parsed value. Throws MISSING_PARAM if the only problem is absent fields, VALIDATION_ERROR otherwise. */
export function parsePart(schema: z.ZodType | undefined, value: unknown, part: "path" | "query" | "body"): unknown {
  assertPlain(value, part);
  if (!schema) return part === "body" ? undefined : {};
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues;
  const isOnlyMissing = issues.every(
    ({ code, path }) => (code === "invalid_type" || code === "invalid_union") && valueAt(value, path) === undefined,
  );
  const text = issues
    .slice(0, MAX_ISSUES_SHOWN)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join(".")}: ${issue.message}` : issue.message))
    .join("; ");
  if (isOnlyMissing && issues[0].path.length > 0) {
    const names = issues.map((issue) => issue.path.join(".")).join(", ");
    throw new ServiceError("MISSING_PARAM", `Required parameter missing: ${names}`);
  }
  throw new ServiceError("VALIDATION_ERROR", `Invalid ${part}: ${text}`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

/** Throws VALIDATION_ERROR for a NUL character, which PostgreSQL cannot store, and for values nested deeper than
 *  `MAX_NESTING`. Goes level by level, so that a hostile value cannot overflow the stack here. */
function assertPlain(value: unknown, part: string): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_NESTING) throw new ServiceError("VALIDATION_ERROR", `The ${part} is nested too deeply`);
    const next: unknown[] = [];
    for (const current of level) {
      if (typeof current === "string" && current.includes("\u0000")) {
        throw new ServiceError("VALIDATION_ERROR", `The ${part} contains a NUL character`);
      }
      if (typeof current !== "object" || current === null) continue;
      for (const child of Array.isArray(current) ? current : Object.entries(current).flat()) {
        if (typeof child === "string" || typeof child === "object") next.push(child);
      }
    }
    level = next;
  }
}
