// Checks answers of the service: it may be of another version than this program.
import type { z } from "zod";
import { CliError } from "../terminal/cli-error.ts";
import { otherVersion } from "../terminal/client-failure.ts";

/** The answer, with what the schema names of it. Throws CliError(unavailable) with the code OTHER_VERSION if the answer
 *  is a different one. */
export function readAnswer<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data, error } = schema.safeParse(answer);
  if (error === undefined) return data;
  const { path, message } = error.issues[0];
  const { kind, message: text, ...options } = otherVersion(`${path.join(".") || "its answer"}: ${message}`);
  throw new CliError(kind, text, { ...options, cause: error });
}
