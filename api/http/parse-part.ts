// Checks one part of a request against its schema and says in one sentence what is wrong with it.
import type { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";

const MAX_ISSUES_SHOWN = 5;

/** The parsed value. Throws MISSING_PARAM if all that is wrong is absent fields, VALIDATION_ERROR otherwise. */
export function parsePart(schema: z.ZodType | undefined, value: unknown, part: "path" | "query" | "body"): unknown {
  // PostgreSQL cannot store a NUL character, and nothing a caller means to say contains one.
  if (containsNul(value)) throw new ServiceError("VALIDATION_ERROR", `The ${part} contains a NUL character`);
  if (!schema) return part === "body" ? undefined : {};
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues;
  const isOnlyMissing = issues.every(
    (issue) => issue.code === "invalid_type" && valueAt(value, issue.path) === undefined,
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

function containsNul(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const current = pending.pop();
    if (typeof current === "string" && current.includes("\u0000")) return true;
    if (Array.isArray(current)) pending.push(...current);
    else if (typeof current === "object" && current !== null)
      pending.push(...Object.keys(current), ...Object.values(current));
  }
  return false;
}
