// The job that builds a knowledge base: extracts text from every file, splits it into passages, and computes vectors if
// an endpoint is configured. A build can be restarted from its beginning; its passages count once the base points to
// it.
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import type { JobContext, JobKind } from "../../kernel/jobs/job-runner.ts";
import type { KnowledgeServices } from "../knowledge-services.ts";
import {
  endBuild,
  findBuild,
  findKnowledgeBase,
  type KnowledgeBuild,
  type KnowledgeFile,
  listFilesOf,
  listOrphanedBuilds,
  listSpentBuilds,
  updateKnowledgeBase,
} from "../knowledge-store.ts";
import { deletePassages, insertPassages, type NewPassage } from "../search/passage-store.ts";
import type { SplitDocument } from "../text/text-messages.ts";
import { TextProcess } from "../text/text-process.ts";
import { BUILD_KNOWLEDGE_BASE, startBuild } from "./start-build.ts";

/** Each job reads one document at a time, in a child process. */
const CONCURRENT_JOBS = 2;
/** Maximum number of passages of one base, because every search goes through all of them. */
const MAX_PASSAGES = 20_000;
const payloadSchema = z.object({ buildId: z.string() });

/** The job kind. */
export function buildKnowledgeBaseJob(services: KnowledgeServices): JobKind {
  return {
    name: BUILD_KNOWLEDGE_BASE,
    concurrency: CONCURRENT_JOBS,
    async run(payload, context) {
      const build = await findBuild(services.database, payloadSchema.parse(payload).buildId);
      if (!build?.is_running) return;
      try {
        await runBuild(services, build, context);
      } catch (error) {
        const isFinal = isServiceError(error) && (error.code === "UNPROCESSABLE" || error.code === "UPSTREAM_ERROR");
        if (context.signal.aborted || (!isFinal && !context.isLastAttempt)) throw error;
        services.logger.warn({ err: error, buildId: build.id }, "knowledge base could not be built");
        await failBuild(services, build.id, isServiceError(error) ? error.message : "Internal error");
      }
    },
  };
}

/** Fails builds that have lost their job. For the job runner's recovery. */
export async function settleOrphanedBuilds(services: KnowledgeServices): Promise<void> {
  for (const buildId of await listOrphanedBuilds(services.database)) {
    await failBuild(services, buildId, "The build was interrupted too many times");
  }
}

async function runBuild(services: KnowledgeServices, build: KnowledgeBuild, { signal }: JobContext): Promise<void> {
  const { database, storage } = services;
  const base = await findKnowledgeBase(database, build.kb_id);
  if (!base) return;
  await updateKnowledgeBase(database, base.id, { status: "building" });
  const { passages, refusals } = await readPassages(services, await listFilesOf(database, base.id), signal);
  if (passages.length === 0)
    throw new ServiceError("UNPROCESSABLE", refusals.join("; ") || "The source files contain no text");
  await addVectors(services, passages, signal);
  const artifact = await storage.put(`knowledge/${build.id}.jsonl`, artifactOf(passages));
  const dropped = await database.transaction().execute(async (transaction) => {
    const locked = await findKnowledgeBase(transaction, base.id, { lock: true });
    if (!locked || !(await endBuild(transaction, build.id))) return [artifact.key];
    // Passages of files that were deleted during the build are removed, from the artifact too.
    const kept = new Set((await listFilesOf(transaction, base.id)).map(({ id }) => id));
    const remaining = passages.filter(({ fileId }) => kept.has(fileId));
    const isWhole = remaining.length === passages.length;
    await insertPassages(transaction, build.id, remaining);
    await updateKnowledgeBase(transaction, base.id, {
      status: locked.content_rev === build.rev ? "ready" : "stale",
      built_rev: build.rev,
      built_id: build.id,
      artifact_key: isWhole ? artifact.key : null,
      error_message: refusals.length > 0 ? refusals.join("; ") : null,
    });
    await deletePassages(transaction, await listSpentBuilds(transaction, base.id));
    await buildAgain(services, transaction, base.id, build.user_id);
    return isWhole ? [locked.artifact_key] : [locked.artifact_key, artifact.key];
  });
  for (const key of dropped) if (key !== null) await storage.delete(key);
}

/** Passages of all files. A file that cannot be read is skipped and listed in `refusals`. */
async function readPassages(
  services: KnowledgeServices,
  files: readonly KnowledgeFile[],
  signal: AbortSignal,
): Promise<{ passages: NewPassage[]; refusals: string[] }> {
  const passages: NewPassage[] = [];
  const refusals: string[] = [];
  const reader = new TextProcess({ signal });
  try {
    for (const file of files) {
      try {
        const document = await readFile(services, file, reader);
        for (const passage of document.passages) {
          const { id: fileId, file_name: fileName } = file;
          passages.push({ ...passage, fileId, fileName, language: document.language, vector: null });
        }
      } catch (error) {
        if (!isServiceError(error) || (error.code !== "UNPROCESSABLE" && error.code !== "NOT_FOUND")) throw error;
        refusals.push(`${file.file_name}: ${error.message}`);
      }
      if (passages.length > MAX_PASSAGES) {
        throw new ServiceError(
          "UNPROCESSABLE",
          `The source files contain more than ${MAX_PASSAGES} passages. Split them into several knowledge bases.`,
        );
      }
    }
  } finally {
    await reader.close();
  }
  return { passages, refusals };
}

async function readFile(
  { storage }: KnowledgeServices,
  file: KnowledgeFile,
  reader: TextProcess,
): Promise<SplitDocument> {
  const folder = await mkdtemp(join(tmpdir(), "avatar-knowledge-"));
  try {
    const path = join(folder, `source.${file.ext}`);
    await pipeline(await storage.read(file.object_key), createWriteStream(path));
    return await reader.read({ path, extension: file.ext });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function addVectors(
  { embedder }: KnowledgeServices,
  passages: readonly NewPassage[],
  signal: AbortSignal,
): Promise<void> {
  if (!embedder) return;
  const texts = passages.map(({ heading, text }) => (heading === "" ? text : `${heading}\n${text}`));
  for (const [index, vector] of (await embedder.embed(texts, signal)).entries()) passages[index].vector = vector;
}

/** The passages of a base as JSON lines, for download. */
function artifactOf(passages: readonly NewPassage[]): Buffer {
  const lines = passages.map(({ fileId, fileName, heading, text }) =>
    JSON.stringify({ file_id: fileId, file_name: fileName, heading, text }),
  );
  return Buffer.from(`${lines.join("\n")}\n`);
}

async function failBuild(services: KnowledgeServices, buildId: string, why: string): Promise<void> {
  await services.database.transaction().execute(async (transaction) => {
    const build = await findBuild(transaction, buildId);
    const base = build && (await findKnowledgeBase(transaction, build.kb_id, { lock: true }));
    if (!build || !base || !(await endBuild(transaction, buildId))) return;
    await updateKnowledgeBase(transaction, base.id, { status: "failed", error_message: why.slice(0, 2_000) });
    await buildAgain(services, transaction, base.id, build.user_id);
  });
}

/** Starts the build that was requested while another was running. If the account may not build now, the base stays
 *  as it is. */
async function buildAgain(
  { now }: KnowledgeServices,
  transaction: Parameters<typeof startBuild>[0],
  knowledgeBaseId: string,
  userId: string,
): Promise<void> {
  const base = await findKnowledgeBase(transaction, knowledgeBaseId);
  if (!base?.is_rebuild_wanted) return;
  await updateKnowledgeBase(transaction, base.id, { is_rebuild_wanted: false });
  await startBuild(transaction, base, userId, new Date(now()));
}
