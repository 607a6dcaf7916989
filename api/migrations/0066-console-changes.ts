// Why: the console's pages hear of a change when its row is written, by whichever process or person. And secrets that
// sessions of the console leave behind are removed when nothing needs them.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

/** Condition of a trigger: one of the columns has another value. Updates of other columns cost nothing. */
const differs = (columns: readonly string[]) =>
  `(${columns.map((column) => `old.${column}`).join(", ")}) is distinct from (${columns
    .map((column) => `new.${column}`)
    .join(", ")})`;

/** Triggers of a table. `call`: the function and the noun. `updated`: columns that a person sees. */
function triggers(
  table: string,
  call: string,
  { updated, on = ["insert", "delete"] }: { updated?: string; on?: readonly ("insert" | "delete")[] },
): string {
  const parts = on.map(
    (event) => `
    create trigger ${table}_tell_${event} after ${event} on ${table}
      for each row execute function ${call};`,
  );
  if (updated) {
    parts.push(`
    create trigger ${table}_tell_update after update on ${table}
      for each row when (${differs(updated.trim().split(/\s+/))}) execute function ${call};`);
  }
  return parts.join("");
}

export const consoleChangesMigration: Migration = {
  name: "0066-console-changes",
  async up(transaction) {
    await sql`
      -- Notifies "owner noun": the id of an account or organization, or operator. Equal ones of a transaction are one.
      create function tell_consoles(owner text, noun text) returns void language plpgsql as $$
        begin
          if owner is not null then
            perform pg_notify('console_change', owner || ' ' || noun);
          end if;
        end
      $$;

      create function tell_account() returns trigger language plpgsql as $$
        begin
          -- Not by the function above: this is on the path of launches.
          perform pg_notify('console_change', coalesce(new.user_id, old.user_id) || ' ' || tg_argv[0]);
          return null;
        end
      $$;

      create function tell_organization() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(coalesce(new.organization_id, old.organization_id)::text, tg_argv[0]);
          return null;
        end
      $$;

      create function tell_operator() returns trigger language plpgsql as $$
        begin
          perform tell_consoles('operator', tg_argv[0]);
          return null;
        end
      $$;

      -- Rows that go with their parent find none: the parent has told already.
      create function tell_owner_of_agent() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(user_id::text, tg_argv[0]) from agents where id = coalesce(new.agent_id, old.agent_id);
          return null;
        end
      $$;

      create function tell_owner_of_session() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(user_id::text, tg_argv[0]) from avatar_sessions where id = new.session_id;
          return null;
        end
      $$;

      create function tell_owners_of_sessions() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(owner.user_id::text, tg_argv[0]) from (
            select distinct session.user_id
            from deleted_rows join avatar_sessions session on session.id = deleted_rows.session_id
          ) owner;
          return null;
        end
      $$;

      create function tell_owner_of_base() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(organization_id::text, tg_argv[0])
            from knowledge_bases where id = coalesce(new.kb_id, old.kb_id);
          return null;
        end
      $$;

      create function tell_owner_of_endpoint() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(user_id::text, tg_argv[0]) from webhook_endpoints where id = new.endpoint_id;
          return null;
        end
      $$;

      create function tell_members() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(new.id::text, 'organizations');
          perform tell_consoles(user_id::text, 'organizations')
            from organization_members where organization_id = new.id;
          return null;
        end
      $$;

      -- The organization and the person, who sees it in their list.
      create function tell_member() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(coalesce(new.organization_id, old.organization_id)::text, 'organizations');
          perform tell_consoles(new.user_id::text, 'organizations');
          perform tell_consoles(old.user_id::text, 'organizations');
          return null;
        end
      $$;

      create function tell_owners_of_secret() returns trigger language plpgsql as $$
        begin
          perform tell_consoles(coalesce(new.user_id, old.user_id)::text, 'secrets');
          perform tell_consoles(coalesce(new.organization_id, old.organization_id)::text, 'secrets');
          return null;
        end
      $$;

      -- Since when no session of the console holds this secret, as a sweep has noted; null while one does.
      alter table api_secrets add column unheld_since timestamptz;
      create index api_secrets_of_console on api_secrets (unheld_since) where is_console;
      create index console_sessions_by_secret on console_sessions (secret_id);
    `.execute(transaction);
    const statements = [
      triggers("agents", "tell_account('agents')", {
        updated: `
          name is_named description prompt system_prompt greeting language gender subject model is_auto_model
          voice_id voice_character aspect_ratio framing transparency gallery_id portrait_key portrait_width_px
          portrait_height_px face_marks suggested_face_marks clip_key waiting_since status progress progress_msg
          current_step event_type error_message draft deleted_at purged_at providers local_rendering`,
      }),
      triggers("agent_models", "tell_owner_of_agent('agents')", {
        updated: "is_draft state reason credits artifact_bytes generator_version ready_at",
      }),
      triggers("agent_sharing", "tell_owner_of_agent('agents')", {}),
      triggers("agent_knowledge_bases", "tell_owner_of_agent('agents')", {}),
      triggers("providers", "tell_account('agents')", {}),
      triggers("embed_settings", "tell_account('agents')", {}),
      // Heartbeats change other columns.
      triggers("avatar_sessions", "tell_account('sessions')", {
        updated: "status end_reason live_at ended_at credits mind",
      }),
      triggers("session_messages", "tell_owner_of_session('messages')", { on: ["insert"] }),
      triggers("videos", "tell_account('videos')", {
        updated: "status progress credits duration_ms has_subtitles error_message deleted_at",
      }),
      triggers("agent_dynamics", "tell_account('dynamics')", {
        updated: "run status seconds progress error_message made_run made_seconds actions",
      }),
      triggers("uploads", "tell_account('files')", {}),
      triggers("knowledge_files", "tell_organization('knowledge')", {
        updated: "file_name size_bytes sha256 url sync_freq next_sync_at sync_failures",
      }),
      triggers("knowledge_bases", "tell_organization('knowledge')", {
        updated: "name description status content_rev built_rev error_message",
      }),
      triggers("knowledge_base_files", "tell_owner_of_base('knowledge')", {}),
      triggers("webhook_endpoints", "tell_account('webhooks')", {
        updated: "url events description is_active sealed_secret sealed_headers",
      }),
      triggers("webhook_deliveries", "tell_owner_of_endpoint('deliveries')", {
        updated: "attempts status_code is_delivered due_at",
        on: ["insert"],
      }),
      triggers("credit_movements", "tell_account('credits')", { on: ["insert"] }),
      triggers("accounts", "tell_account('credits')", {
        updated: "email plan status is_runtime_suspended plan_anchor_at plan_renews_at",
        on: [],
      }),
      triggers("organization_members", "tell_member()", {
        updated: "email role user_id invite_sha256 invite_expires_at joined_at",
      }),
      triggers("console_sessions", "tell_account('secrets')", {}),
      triggers("avatar_workers", "tell_operator('workers')", {
        updated: `
          providers active_sessions max_sessions max_light_sessions max_gpu_sessions realtime_slots relay_url
          registered_at`,
      }),
      triggers("realtime_relays", "tell_operator('workers')", {}),
      `
      create trigger agent_sharing_tell_update after update on agent_sharing
        for each row when (old.* is distinct from new.*) execute function tell_owner_of_agent('agents');
      create trigger agents_tell_dynamics after update on agents
        for each row when (${differs(["dynamics"])}) execute function tell_account('dynamics');
      create trigger agent_knowledge_bases_tell_base after insert or delete on agent_knowledge_bases
        for each row execute function tell_owner_of_base('knowledge');
      create trigger providers_tell_update after update on providers
        for each row when (old.* is distinct from new.*) execute function tell_account('agents');
      create trigger embed_settings_tell_update after update on embed_settings
        for each row when (old.* is distinct from new.*) execute function tell_account('agents');
      create trigger session_messages_tell_delete after delete on session_messages
        referencing old table as deleted_rows
        for each statement execute function tell_owners_of_sessions('messages');
      create trigger organizations_tell_update after update on organizations
        for each row when (${differs(["name", "slug", "deleted_at"])}) execute function tell_members();
      create trigger api_secrets_tell_insert after insert on api_secrets
        for each row when (not new.is_console) execute function tell_owners_of_secret();
      create trigger api_secrets_tell_delete after delete on api_secrets
        for each row when (not old.is_console) execute function tell_owners_of_secret();
      -- Of a session of the console, too: that session is revoked.
      create trigger api_secrets_tell_update after update on api_secrets
        for each row when (${differs(["alias", "revoked_at"])}) execute function tell_owners_of_secret();`,
    ];
    await sql.raw(statements.join("")).execute(transaction);
  },
};
