// Why: organizations have files, knowledge bases made of these files, builds of the bases, and the passages that a
// search finds. Each build writes new passages; the earlier ones are searched until it is complete.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const knowledgeBasesMigration: Migration = {
  name: "0010-knowledge-bases",
  async up(transaction) {
    await sql`
      create table knowledge_files (
        id uuid primary key,
        organization_id uuid not null references organizations on delete cascade,
        file_name text not null,
        ext text not null,
        size_bytes bigint not null,
        sha256 text not null,
        object_key text not null,
        source_kind text not null check (source_kind in ('upload', 'url')),
        url text,
        sync_freq text not null default 'never' check (sync_freq in ('never', 'daily', 'weekly', 'monthly')),
        next_sync_at timestamptz,
        created_at timestamptz not null
      );
      create index knowledge_files_to_sync on knowledge_files (next_sync_at) where next_sync_at is not null;

      create table knowledge_bases (
        id uuid primary key,
        organization_id uuid not null references organizations on delete cascade,
        user_id uuid not null references accounts,
        name text not null,
        description text,
        status text not null check (status in ('stale', 'queued', 'building', 'ready', 'failed')),
        content_rev integer not null default 1,
        built_rev integer,
        built_id uuid,
        artifact_key text,
        error_message text,
        is_rebuild_wanted boolean not null default false,
        created_at timestamptz not null
      );
      create index knowledge_bases_by_organization on knowledge_bases (organization_id, created_at desc);

      create table knowledge_base_files (
        kb_id uuid not null references knowledge_bases on delete cascade,
        file_id uuid not null references knowledge_files on delete cascade,
        position integer not null,
        primary key (kb_id, file_id)
      );
      create index knowledge_base_files_by_file on knowledge_base_files (file_id);

      create table knowledge_builds (
        id uuid primary key,
        kb_id uuid not null references knowledge_bases on delete cascade,
        user_id uuid not null references accounts,
        rev integer not null,
        is_running boolean not null,
        started_at timestamptz not null
      );
      -- The rule that an account runs one build at a time, where no race can get around it.
      create unique index knowledge_builds_running on knowledge_builds (user_id) where is_running;
      create index knowledge_builds_by_account on knowledge_builds (user_id, started_at);
      create index knowledge_builds_by_base on knowledge_builds (kb_id) where is_running;

      create table knowledge_passages (
        id bigint generated always as identity primary key,
        build_id uuid not null references knowledge_builds on delete cascade,
        file_id uuid not null,
        file_name text not null,
        heading text not null,
        text text not null,
        language regconfig not null,
        search tsvector generated always as (
          setweight(to_tsvector(language, heading), 'A') || setweight(to_tsvector(language, text), 'B')
        ) stored,
        embedding bytea
      );
      create index knowledge_passages_by_build on knowledge_passages (build_id);
      create index knowledge_passages_search on knowledge_passages using gin (search);

      create table agent_knowledge_bases (
        agent_id uuid not null references agents on delete cascade,
        kb_id uuid not null references knowledge_bases on delete cascade,
        primary key (agent_id, kb_id)
      );
      create index agent_knowledge_bases_by_base on agent_knowledge_bases (kb_id);
    `.execute(transaction);
  },
};
