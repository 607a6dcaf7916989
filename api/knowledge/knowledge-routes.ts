// Routes of knowledge bases.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { type KnowledgePassage, knowledgeAnswerSchema } from "../../shared/runtime-api.ts";
import { Answer } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { type UploadedFile, uploadedFileSchema } from "../kernel/http/uploaded-file.ts";
import { addFetchedSource, addUploadedSource } from "./add-source.ts";
import { type KnowledgeOwner, requireKnowledgeBase, requireOrganization } from "./agent-knowledge.ts";
import {
  KNOWLEDGE_BASE_STATUSES,
  MAX_FILES_PER_BASE,
  MAX_SOURCE_BYTES,
  SOURCE_EXTENSIONS,
  SOURCE_KINDS,
  SYNC_FREQUENCIES,
  type SyncFrequency,
} from "./knowledge-base.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import { findFiles, insertKnowledgeBase, type KnowledgeFile, listKnowledgeBases } from "./knowledge-store.ts";
import { type SearchedPassage, searchKnowledge } from "./search-knowledge.ts";
import { buildRefusal, startBuild } from "./start-build.ts";

const TAGS = ["Knowledge"];
/** Room for a file of the largest size, and the form around it. */
const BODY_LIMIT_BYTES = MAX_SOURCE_BYTES + 1_000_000;
const ARTIFACT_LINK_SECONDS = 3_600;
const MAX_QUESTION_CHARACTERS = 2_000;

const kbParams = z.object({ kb_id: z.string() });
const fileViewSchema = z.object({
  id: z.string(),
  org_id: z.string(),
  file_name: z.string(),
  ext: z.enum(SOURCE_EXTENSIONS),
  size_bytes: z.int(),
  status: z.literal("uploaded"),
  source_kind: z.enum(SOURCE_KINDS),
  created_at: z.iso.datetime(),
});

/** The routes. All need an organization's secret. */
export function knowledgeRoutes(services: KnowledgeServices): Route[] {
  const { database, fileLinks } = services;

  async function requireFiles({ organizationId }: KnowledgeOwner, ids: readonly string[]): Promise<KnowledgeFile[]> {
    const known = ids.filter((id) => z.uuid().safeParse(id).success);
    const files = new Map((await findFiles(database, known)).map((file) => [file.id, file]));
    return ids.map((id) => {
      const file = files.get(id.toLowerCase());
      if (!file) throw new ServiceError("NOT_FOUND", `No knowledge file ${id.slice(0, 100)}`);
      if (file.organization_id !== organizationId) {
        throw new ServiceError("FORBIDDEN", `Knowledge file ${file.id} belongs to another organization`);
      }
      return file;
    });
  }

  return [
    route({
      method: "post",
      path: "/v1/knowledge/files",
      tier: "write",
      auth: "secret",
      summary: "Add a source file: as a form, or by its address",
      tags: TAGS,
      body: z.object({
        file: uploadedFileSchema
          .nullish()
          .meta({ description: "pdf, docx, txt, md, html or csv, in a multipart body" }),
        url: z.string().max(4_096).nullish().meta({ description: "Public address to fetch the file from" }),
        name: z.string().max(255).nullish(),
        sync_freq: z
          .string()
          .nullish()
          .meta({ description: `How often the address is looked at again: ${SYNC_FREQUENCIES.join(", ")}` }),
      }),
      bodyTypes: ["json", "multipart"],
      bodyLimitBytes: BODY_LIMIT_BYTES,
      response: fileViewSchema,
      successStatus: 201,
      errors: ["FORBIDDEN", "DOWNLOAD_FAILED", "FILE_TOO_LARGE", "UNSUPPORTED_TYPE", "UNPROCESSABLE"],
      async handler({ body, caller }) {
        const { organizationId } = requireOrganization(caller);
        const syncFrequency = parseSyncFrequency(body.sync_freq);
        const { file, url } = oneSourceOf(body);
        const name = body.name?.trim() || null;
        const added = file
          ? await addUploadedSource(services, organizationId, file, name)
          : await addFetchedSource(services, organizationId, { url: url ?? "", name, syncFrequency });
        return new Answer({ status: 201, json: viewFile(added) });
      },
    }),
    route({
      method: "post",
      path: "/v1/knowledge/kbs",
      tier: "write",
      auth: "secret",
      summary: "Make a knowledge base of source files, and build it",
      tags: TAGS,
      body: z.object({
        name: z.string().trim().min(1).max(120),
        description: z.string().max(2_000).nullish(),
        file_ids: z.array(z.string()).max(MAX_FILES_PER_BASE).nullish(),
        build: z.boolean().nullish().meta({ description: "Default: true" }),
      }),
      response: z.object({
        id: z.string(),
        org_id: z.string(),
        name: z.string(),
        status: z.enum(KNOWLEDGE_BASE_STATUSES),
        content_rev: z.int(),
        file_ids: z.array(z.string()),
        build_dispatched: z.boolean(),
      }),
      successStatus: 201,
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ body, caller }) {
        const owner = requireOrganization(caller);
        const files = await requireFiles(owner, [...new Set(body.file_ids ?? [])]);
        const { userId } = caller.account;
        const at = new Date(services.now());
        const fileIds = files.map(({ id }) => id);
        const { base, isDispatched } = await database.transaction().execute(async (transaction) => {
          const base = await insertKnowledgeBase(
            transaction,
            {
              id: randomUUID(),
              organization_id: owner.organizationId,
              user_id: userId,
              name: body.name,
              description: body.description ?? null,
              created_at: at,
            },
            fileIds,
          );
          // A build that may not start now does not keep the base from being made; it can be asked for later.
          const outcome = body.build === false ? null : await startBuild(transaction, base, userId, at);
          return { base, isDispatched: outcome?.kind === "started" };
        });
        const { id, organization_id: org_id, name, status, content_rev } = base;
        return new Answer({
          status: 201,
          json: { id, org_id, name, status, content_rev, file_ids: fileIds, build_dispatched: isDispatched },
        });
      },
    }),
    route({
      method: "get",
      path: "/v1/knowledge/kbs",
      tier: "read",
      auth: "secret",
      summary: "The organization's knowledge bases, newest first",
      tags: TAGS,
      response: z.object({
        kbs: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            status: z.enum(KNOWLEDGE_BASE_STATUSES),
            content_rev: z.int(),
            built_rev: z.int().nullable(),
            artifact_url: z
              .string()
              .nullable()
              .meta({ description: "What was built, one passage a line, for an hour" }),
            agent_count: z.int(),
            source_count: z.int(),
            error_message: z
              .string()
              .nullable()
              .meta({ description: "Files that could not be read, or why a build failed" }),
          }),
        ),
        total: z.int(),
      }),
      errors: ["FORBIDDEN"],
      async handler({ caller }) {
        const { organizationId } = requireOrganization(caller);
        const bases = await listKnowledgeBases(database, organizationId);
        const kbs = bases.map((base) => ({
          id: base.id,
          name: base.name,
          status: base.status,
          content_rev: base.content_rev,
          built_rev: base.built_rev,
          artifact_url:
            base.artifact_key &&
            fileLinks.linkTo(base.artifact_key, {
              expiresInSeconds: ARTIFACT_LINK_SECONDS,
              filename: `${base.id}.jsonl`,
            }),
          agent_count: base.agentCount,
          source_count: base.sourceCount,
          error_message: base.error_message,
        }));
        return { kbs, total: kbs.length };
      },
    }),
    route({
      method: "post",
      path: "/v1/knowledge/kbs/:kb_id/rebuild",
      tier: "write",
      auth: "secret",
      summary: "Build a knowledge base again",
      tags: TAGS,
      params: kbParams,
      response: z.object({
        id: z.string(),
        kb_id: z.string(),
        status: z.literal("queued"),
        started_at: z.iso.datetime(),
      }),
      errors: ["FORBIDDEN", "NOT_FOUND", "KB_EMPTY", "BUILD_IN_PROGRESS", "BUILD_CONCURRENCY", "BUILD_DAILY_CAP"],
      async handler({ params, caller }) {
        const owner = requireOrganization(caller);
        const at = new Date(services.now());
        // The refusal is thrown outside: a rebuild that was noted for later must be committed.
        const { base, outcome } = await database.transaction().execute(async (transaction) => {
          const base = await requireKnowledgeBase(transaction, owner, params.kb_id, { lock: true });
          return { base, outcome: await startBuild(transaction, base, caller.account.userId, at) };
        });
        if (outcome.kind !== "started") throw buildRefusal(outcome, base);
        return { id: outcome.buildId, kb_id: base.id, status: "queued" as const, started_at: at.toISOString() };
      },
    }),
    route({
      method: "post",
      path: "/v1/knowledge/kbs/:kb_id/search",
      tier: "write",
      auth: "secret",
      summary: "The passages of a knowledge base that answer a question, best first",
      tags: TAGS,
      params: kbParams,
      body: z.object({
        query: z.string().min(1).max(MAX_QUESTION_CHARACTERS),
        limit: z.int().min(1).max(20).nullish().meta({ description: "Default: 5" }),
      }),
      response: knowledgeAnswerSchema,
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, body, caller }) {
        const base = await requireKnowledgeBase(database, requireOrganization(caller), params.kb_id);
        const question = { knowledgeBaseIds: [base.id], question: body.query, limit: body.limit ?? 5 };
        const found = await searchKnowledge(services, question);
        return { results: found.map(viewPassage) };
      },
    }),
  ];
}

/** A passage on the wire. */
export function viewPassage(passage: SearchedPassage): KnowledgePassage {
  const { knowledgeBaseId, fileId, fileName, heading, text, score } = passage;
  return { kb_id: knowledgeBaseId, file_id: fileId, file_name: fileName, heading, text, score };
}

function parseSyncFrequency(text: string | null | undefined): SyncFrequency {
  const found = SYNC_FREQUENCIES.find((frequency) => frequency === (text ?? "never"));
  if (found) return found;
  throw new ServiceError("UNPROCESSABLE", `sync_freq must be one of ${SYNC_FREQUENCIES.join(", ")}`);
}

function oneSourceOf(body: { file?: UploadedFile | null; url?: string | null }): {
  file: UploadedFile | null;
  url: string | null;
} {
  const { file = null, url = null } = body;
  if (file === null && (url === null || url === "")) {
    throw new ServiceError("UNPROCESSABLE", "Give a form with file, or url");
  }
  if (file !== null && url !== null) throw new ServiceError("UNPROCESSABLE", "Give only one of file and url");
  return { file, url };
}

function viewFile(file: KnowledgeFile): z.input<typeof fileViewSchema> {
  return {
    id: file.id,
    org_id: file.organization_id,
    file_name: file.file_name,
    ext: file.ext,
    size_bytes: file.size_bytes,
    status: "uploaded",
    source_kind: file.source_kind,
    created_at: file.created_at.toISOString(),
  };
}
