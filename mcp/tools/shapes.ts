// Fields that several tools share.
import { z } from "zod";

/** Files in base64 within a message, in characters: 4.5 MB of content. */
const BASE64_MAX_CHARACTERS = 6_000_000;

export const AGENT_ID = z.string().min(1).max(100).describe("The agent's code, as A00ABC0000");
export const OFFSET = z.number().int().min(0).max(1_000_000).default(0).describe("Entries to skip");
export const WAIT_SECONDS = z
  .number()
  .min(0)
  .max(100)
  .default(0)
  .describe("Longest wait for the end, in seconds, with progress; then the state as it is");
export const BASE64 = z
  .string()
  .max(BASE64_MAX_CHARACTERS)
  .regex(/^[A-Za-z0-9+/_=\s-]*$/, "This is no base64.");
export const WEB_ADDRESS = z.url({ protocol: /^https?$/ }).max(4_096);
export const PATH = z.string().min(1).max(1_024);

/** Entries of one page. */
export function limitOf(max: number, fallback: number): z.ZodDefault<z.ZodNumber> {
  return z.number().int().min(1).max(max).default(fallback).describe("Most entries that are returned");
}

/** A page of a list, under the name of its entries. */
export function pageOf<Entry extends z.ZodType>(name: string, entry: Entry): z.ZodObject {
  return z.looseObject({
    [name]: z.array(entry),
    total: z.number().int().optional().describe("Entries of the whole list"),
    has_more: z.boolean().describe("Whether entries follow; offset leads to them"),
  });
}

export const AGENT = z.looseObject({
  agent_id: z.string(),
  name: z.string(),
  status: z.string().describe("ready and failed are ends"),
  progress: z.number().describe("0 to 1"),
  progress_msg: z.string(),
  current_step: z.string(),
  model: z.string(),
  supported_models: z.array(z.string()),
  system_prompt: z.string(),
  greeting: z.string(),
  voice_id: z.string(),
  kb_ids: z.array(z.string()).describe("Knowledge bases that it answers from"),
  poster_url: z.string().nullable().describe("A still of the face"),
  error_message: z.string().nullable(),
});

export const DELETED = z.looseObject({ deleted: z.boolean() });
