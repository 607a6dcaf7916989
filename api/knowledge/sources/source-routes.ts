// Routes of source files of knowledge bases.
import { z } from "zod";
import { type UploadedFile, uploadedFileSchema } from "../../../program/http/uploaded-file.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { Answer } from "../../kernel/http/answer.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { deletedSchema } from "../../kernel/http/shared-schemas.ts";
import { type KnowledgeOwner, requireOrganization } from "../agent-knowledge.ts";
import { deleteSource } from "../delete-knowledge.ts";
import {
  MAX_SOURCE_BYTES,
  SOURCE_EXTENSIONS,
  SOURCE_KINDS,
  SYNC_FREQUENCIES,
  type SyncFrequency,
} from "../knowledge-base.ts";
import { knowledgeUsage } from "../knowledge-quota.ts";
import type { KnowledgeServices } from "../knowledge-services.ts";
import { findFiles, type KnowledgeFile, listFiles } from "../knowledge-store.ts";
import { addFetchedSource, addUploadedSource } from "./add-source.ts";

const TAGS = ["Knowledge"];
/** A file of the maximum size in base64 with line breaks, and the other fields. */
const BODY_LIMIT_BYTES = MAX_SOURCE_BYTES * 1.4;

export const fileViewSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    file_name: z.string(),
    ext: z.enum(SOURCE_EXTENSIONS),
    size_bytes: z.int(),
    status: z.literal("uploaded"),
    source_kind: z.enum(SOURCE_KINDS),
    url: z.string().nullable(),
    sync_freq: z.enum(SYNC_FREQUENCIES),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "KnowledgeFile" });

/** The routes. All need an organization's secret. */
export function sourceRoutes(services: KnowledgeServices): Route[] {
  const { database } = services;
  return [
    route({
      method: "post",
      path: "/v1/knowledge/files",
      operation: "knowledgeFiles.create",
      tier: "write",
      auth: "secret",
      summary: "Add a source file: as a form, in base64, or by URL",
      tags: TAGS,
      body: z.object({
        file: uploadedFileSchema.nullish().meta({
          description: "pdf, docx, txt, md, html or csv: a part of a form, or base64 in JSON, where name says its kind",
        }),
        url: z.string().max(4_096).nullish().meta({ description: "Public URL of the file" }),
        name: z.string().max(255).nullish(),
        sync_freq: z
          .string()
          .nullish()
          .meta({ description: `How often the address is looked at again: ${SYNC_FREQUENCIES.join(", ")}` }),
      }),
      example: { body: { url: "https://museum.example/handbook.pdf", name: "handbook.pdf" } },
      bodyTypes: ["json", "multipart"],
      bodyLimitBytes: BODY_LIMIT_BYTES,
      fileFields: ["file"],
      response: fileViewSchema,
      successStatus: 201,
      errors: [
        "FORBIDDEN",
        "DOWNLOAD_FAILED",
        "FILE_TOO_LARGE",
        "UNSUPPORTED_TYPE",
        "UNPROCESSABLE",
        "PLAN_REQUIRED",
        "SERVICE_UNAVAILABLE",
      ],
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
      method: "get",
      path: "/v1/knowledge/files",
      operation: "knowledgeFiles.list",
      tier: "read",
      auth: "secret",
      summary: "List the organization's source files, newest first",
      tags: TAGS,
      query: z.object({
        limit: z.coerce.number().int().min(1).max(200).default(50),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
      }),
      response: z.object({
        files: z.array(fileViewSchema),
        total: z.int(),
        used_bytes: z.int(),
        limit_bytes: z.int().nullable(),
      }),
      errors: ["FORBIDDEN"],
      async handler({ query, caller }) {
        const { organizationId } = requireOrganization(caller);
        const { files, total } = await listFiles(database, organizationId, query);
        const { keptBytes, limitBytes } = await knowledgeUsage(database, organizationId);
        return { files: files.map(viewFile), total, used_bytes: keptBytes, limit_bytes: limitBytes };
      },
    }),
    route({
      method: "delete",
      path: "/v1/knowledge/files/:file_id",
      operation: "knowledgeFiles.delete",
      tier: "write",
      auth: "secret",
      summary: "Delete a source file. Searches no longer find it; the knowledge bases that hold it are built again",
      tags: TAGS,
      params: z.object({ file_id: z.string() }),
      response: deletedSchema,
      errors: ["FORBIDDEN", "NOT_FOUND"],
      async handler({ params, caller }) {
        const [file] = await requireFiles(database, requireOrganization(caller), [params.file_id]);
        await deleteSource(services, file, new Date(services.now()));
        return { success: true as const, deleted: true as const };
      },
    }),
  ];
}

/** Source files of the caller's organization. Throws NOT_FOUND, and FORBIDDEN for another organization's. */
export async function requireFiles(
  database: Queryable,
  { organizationId }: KnowledgeOwner,
  ids: readonly string[],
): Promise<KnowledgeFile[]> {
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
    throw new ServiceError("UNPROCESSABLE", "One of file and url is required");
  }
  if (file !== null && url !== null) throw new ServiceError("UNPROCESSABLE", "Only one of file and url may be given");
  return { file, url };
}

/** A source file as callers see it. */
export function viewFile(file: KnowledgeFile): z.input<typeof fileViewSchema> {
  return {
    id: file.id,
    org_id: file.organization_id,
    file_name: file.file_name,
    ext: file.ext,
    size_bytes: file.size_bytes,
    status: "uploaded" as const,
    source_kind: file.source_kind,
    url: file.url,
    sync_freq: file.sync_freq,
    created_at: file.created_at.toISOString(),
  };
}
