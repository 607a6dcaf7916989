// Tables of knowledge bases, as created by migration 0010.
import type { Generated } from "kysely";
import type { KnowledgeBaseStatus, SourceExtension, SourceKind, SyncFrequency } from "./knowledge-base.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    knowledge_files: {
      id: string;
      organization_id: string;
      file_name: string;
      ext: SourceExtension;
      size_bytes: number;
      sha256: string;
      object_key: string;
      source_kind: SourceKind;
      /** URL from which it is fetched; null for an upload. */
      url: string | null;
      sync_freq: SyncFrequency;
      /** When it is fetched next; null for never. */
      next_sync_at: Date | null;
      /** Failed fetches since the last success. */
      sync_failures: Generated<number>;
      created_at: Date;
    };
    knowledge_bases: {
      id: string;
      organization_id: string;
      /** The member who created it. Builds after a sync count towards this account's limits. */
      user_id: string;
      name: string;
      description: string | null;
      status: KnowledgeBaseStatus;
      /** Revision; each change of its files increments it. */
      content_rev: Generated<number>;
      /** Revision that is searched; null before the first build. */
      built_rev: number | null;
      /** Build with the passages that are searched. */
      built_id: string | null;
      artifact_key: string | null;
      /** Why the last build failed. */
      error_message: string | null;
      /** Build again after the running build. */
      is_rebuild_wanted: Generated<boolean>;
      created_at: Date;
    };
    knowledge_base_files: { kb_id: string; file_id: string; position: number };
    knowledge_builds: {
      id: string;
      kb_id: string;
      /** The account that it counts for in limits. */
      user_id: string;
      rev: number;
      is_running: boolean;
      started_at: Date;
    };
    knowledge_passages: {
      id: Generated<number>;
      build_id: string;
      file_id: string;
      file_name: string;
      heading: string;
      text: string;
      /** Text search configuration of PostgreSQL. */
      language: string;
      /** Unit vector with one signed byte per dimension; null without an embeddings endpoint. */
      embedding: Buffer | null;
    };
    agent_knowledge_bases: { agent_id: string; kb_id: string };
  }
}
