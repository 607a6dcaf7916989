// A knowledge base: files of an organization, built into passages that a conversation can search.

export const KNOWLEDGE_BASE_STATUSES = ["stale", "queued", "building", "ready", "failed"] as const;
/** `stale`: its files have changes that are not built yet. `queued` and `building`: a build is queued or runs. `ready`:
 *  the search covers the current files. `failed`: the last build failed; the passages of the previous build are still
 *  searched. */
export type KnowledgeBaseStatus = (typeof KNOWLEDGE_BASE_STATUSES)[number];

export const SYNC_FREQUENCIES = ["never", "daily", "weekly", "monthly"] as const;
export type SyncFrequency = (typeof SYNC_FREQUENCIES)[number];

/** Documents with text that can be extracted. */
export const SOURCE_EXTENSIONS = ["pdf", "docx", "txt", "md", "html", "csv"] as const;
export type SourceExtension = (typeof SOURCE_EXTENSIONS)[number];

export const SOURCE_KINDS = ["upload", "url"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Maximum size of a source file. Source: the contract. */
export const MAX_SOURCE_BYTES = 100_000_000;
/** Builds that an account may start in a day of UTC. Source: the contract. */
export const BUILDS_PER_DAY = 20;
/** Maximum number of files of one knowledge base. */
export const MAX_FILES_PER_BASE = 200;
/** Knowledge bases that one agent may use. */
export const MAX_BASES_PER_AGENT = 10;

const SYNC_DAYS: Readonly<Record<Exclude<SyncFrequency, "never">, number>> = { daily: 1, weekly: 7, monthly: 30 };
const DAY_MS = 86_400_000;

/** When to fetch a source again; null for never. */
export function nextSync(frequency: SyncFrequency, now: Date): Date | null {
  return frequency === "never" ? null : new Date(now.getTime() + SYNC_DAYS[frequency] * DAY_MS);
}

/** The supported extension for a file extension, with longer spellings mapped (htm, markdown); null for unsupported
 *  ones. */
export function sourceExtension(extension: string): SourceExtension | null {
  const folded = { htm: "html", xhtml: "html", markdown: "md", text: "txt" }[extension] ?? extension;
  return SOURCE_EXTENSIONS.find((candidate) => candidate === folded) ?? null;
}
