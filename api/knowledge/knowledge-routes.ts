// Routes of knowledge bases. Those of their source files: source-routes.ts.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { type KnowledgePassage, knowledgeAnswerSchema } from "../../shared/runtime-api.ts";
import { Answer } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { deletedSchema } from "../kernel/http/shared-schemas.ts";
import { requireKnowledgeBase, requireOrganization } from "./agent-knowledge.ts";
import { changeKnowledgeBase } from "./change-knowledge.ts";
import { deleteKnowledgeBase } from "./delete-knowledge.ts";
import { KNOWLEDGE_BASE_STATUSES, MAX_FILES_PER_BASE } from "./knowledge-base.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";
import {
  insertKnowledgeBase,
  type KnowledgeBase,
  type KnowledgeBaseSummary,
  listFilesOf,
  listKnowledgeBases,
  listUsersOf,
} from "./knowledge-store.ts";
import { type SearchedPassage, searchKnowledge } from "./search/search-knowledge.ts";
import { fileViewSchema, requireFiles, viewFile } from "./sources/source-routes.ts";
import { buildRefusal, startBuild } from "./sources/start-build.ts";

const TAGS = ["Knowledge"];
const ARTIFACT_LINK_SECONDS = 3_600;
const MAX_QUESTION_CHARACTERS = 2_000;

const kbParams = z.object({ kb_id: z.string() });

/** A knowledge base in the list of knowledge bases. */
const knowledgeBaseSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(KNOWLEDGE_BASE_STATUSES),
    content_rev: z.int(),
    built_rev: z.int().nullable(),
    artifact_url: z
      .string()
      .nullable()
      .meta({ description: "Link to the built passages, one per line; the link is valid for one hour" }),
    agent_count: z.int(),
    source_count: z.int(),
    error_message: z.string().nullable().meta({
      description: "Source files that could not be read, or why the last build failed; null otherwise",
    }),
  })
  .meta({ id: "KnowledgeBase" });

/** A knowledge base with what is in it. */
const knowledgeBaseDetailSchema = knowledgeBaseSchema
  .extend({
    description: z.string().nullable(),
    files: z.array(fileViewSchema).meta({ description: "Its source files, in order" }),
    agents: z
      .array(z.object({ code: z.string(), name: z.string() }).meta({ id: "KnowledgeUser" }))
      .meta({ description: "The caller's own agents that use it; agent_count counts those of other members, too" }),
  })
  .meta({ id: "KnowledgeBaseDetail" });

const nameSchema = z.string().trim().min(1).max(120);
const descriptionSchema = z.string().max(2_000).nullish();

/** The routes. All need an organization's secret. */
export function knowledgeRoutes(services: KnowledgeServices): Route[] {
  const { database, fileLinks } = services;

  const viewBase = (base: KnowledgeBaseSummary): z.input<typeof knowledgeBaseSchema> => ({
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
  });

  /** Throws NOT_FOUND for a base that was deleted meanwhile. */
  async function viewDetail(
    { organization_id, id, description }: KnowledgeBase,
    userId: string,
  ): Promise<z.input<typeof knowledgeBaseDetailSchema>> {
    const [summary] = await listKnowledgeBases(database, organization_id, id);
    if (!summary) throw new ServiceError("NOT_FOUND", `No knowledge base ${id}`);
    const files = (await listFilesOf(database, id)).map(viewFile);
    return { ...viewBase(summary), description, files, agents: await listUsersOf(database, id, userId) };
  }

  return [
    route({
      method: "post",
      path: "/v1/knowledge/kbs",
      operation: "knowledgeBases.create",
      tier: "write",
      auth: "secret",
      summary: "Create a knowledge base from source files and build it",
      tags: TAGS,
      body: z.object({
        name: nameSchema,
        description: descriptionSchema,
        file_ids: z.array(z.string()).max(MAX_FILES_PER_BASE).nullish(),
        build: z.boolean().nullish().meta({ description: "Whether to build the knowledge base now. Default: true" }),
      }),
      example: { body: { name: "Museum handbook", file_ids: ["FILE_ID"] } },
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
        const files = await requireFiles(database, owner, [...new Set(body.file_ids ?? [])]);
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
          // The base is created even if its build may not start now; the build can be requested later.
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
      operation: "knowledgeBases.list",
      tier: "read",
      auth: "secret",
      summary: "List the organization's knowledge bases, newest first",
      tags: TAGS,
      response: z.object({
        kbs: z.array(knowledgeBaseSchema),
        total: z.int(),
      }),
      errors: ["FORBIDDEN"],
      async handler({ caller }) {
        const { organizationId } = requireOrganization(caller);
        const bases = await listKnowledgeBases(database, organizationId);
        return { kbs: bases.map(viewBase), total: bases.length };
      },
    }),
    route({
      method: "get",
      path: "/v1/knowledge/kbs/:kb_id",
      operation: "knowledgeBases.get",
      tier: "read",
      auth: "secret",
      summary: "Get a knowledge base with its source files, and the caller's agents that use it",
      tags: TAGS,
      params: kbParams,
      response: knowledgeBaseDetailSchema,
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, caller }) {
        const base = await requireKnowledgeBase(database, requireOrganization(caller), params.kb_id);
        return viewDetail(base, caller.account.userId);
      },
    }),
    route({
      method: "patch",
      path: "/v1/knowledge/kbs/:kb_id",
      operation: "knowledgeBases.update",
      tier: "write",
      auth: "secret",
      summary: "Change a knowledge base's name, description or source files. Other files need a build",
      tags: TAGS,
      params: kbParams,
      body: z.object({
        name: nameSchema.nullish(),
        description: descriptionSchema.meta({ description: "An empty text removes it" }),
        file_ids: z
          .array(z.string())
          .max(MAX_FILES_PER_BASE)
          .nullish()
          .meta({ description: "Ids of its source files, in order; the others leave it" }),
        add_file_ids: z
          .array(z.string())
          .max(MAX_FILES_PER_BASE)
          .nullish()
          .meta({ description: "Ids of source files to add at the end" }),
      }),
      example: { body: { add_file_ids: ["FILE_ID"] } },
      response: knowledgeBaseDetailSchema,
      errors: ["FORBIDDEN", "NOT_FOUND", "MISSING_PARAM"],
      async handler({ params, body, caller }) {
        const base = await changeKnowledgeBase(services, requireOrganization(caller), params.kb_id, {
          name: body.name ?? null,
          description: body.description ?? null,
          fileIds: body.file_ids ?? null,
          addedFileIds: body.add_file_ids ?? null,
        });
        return viewDetail(base, caller.account.userId);
      },
    }),
    route({
      method: "delete",
      path: "/v1/knowledge/kbs/:kb_id",
      operation: "knowledgeBases.delete",
      tier: "write",
      auth: "secret",
      summary: "Delete a knowledge base. Agents stop using it; its source files stay",
      tags: TAGS,
      params: kbParams,
      response: deletedSchema,
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, caller }) {
        const base = await requireKnowledgeBase(database, requireOrganization(caller), params.kb_id);
        await deleteKnowledgeBase(services, base);
        return { success: true as const, deleted: true as const };
      },
    }),
    route({
      method: "post",
      path: "/v1/knowledge/kbs/:kb_id/rebuild",
      operation: "knowledgeBases.rebuild",
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
        // The error is thrown after the commit, so that the request for a later rebuild is stored.
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
      operation: "knowledgeBases.search",
      tier: "write",
      auth: "secret",
      summary: "Search a knowledge base for passages that answer a question, best first",
      tags: TAGS,
      params: kbParams,
      body: z.object({
        query: z.string().min(1).max(MAX_QUESTION_CHARACTERS),
        limit: z.int().min(1).max(20).nullish().meta({ description: "Maximum number of passages. Default: 5" }),
      }),
      example: { body: { query: "When does the museum open?", limit: 3 } },
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
