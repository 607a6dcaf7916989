// The list of migrations, in order. A file under `migrations/` counts once it is named here.
import type { Migration } from "./migration.ts";
import { accountsMigration } from "./migrations/0001-accounts.ts";
import { avatarSessionsMigration } from "./migrations/0002-avatar-sessions.ts";
import { agentsMigration } from "./migrations/0003-agents.ts";
import { limitsMigration } from "./migrations/0004-limits.ts";
import { webhooksMigration } from "./migrations/0005-webhooks.ts";
import { accountActivityMigration } from "./migrations/0006-account-activity.ts";
import { doubleEntryMigration } from "./migrations/0007-double-entry.ts";
import { organizationsMigration } from "./migrations/0008-organizations.ts";
import { uploadsMigration } from "./migrations/0009-uploads.ts";
import { knowledgeBasesMigration } from "./migrations/0010-knowledge-bases.ts";
import { agentInputsMigration } from "./migrations/0011-agent-inputs.ts";
import { sessionAcceptanceMigration } from "./migrations/0013-session-acceptance.ts";
import { bucketTakesMigration } from "./migrations/0017-bucket-takes.ts";

export const MIGRATIONS: readonly Migration[] = Object.freeze([
  accountsMigration,
  avatarSessionsMigration,
  agentsMigration,
  limitsMigration,
  webhooksMigration,
  accountActivityMigration,
  doubleEntryMigration,
  organizationsMigration,
  uploadsMigration,
  knowledgeBasesMigration,
  agentInputsMigration,
  sessionAcceptanceMigration,
  bucketTakesMigration,
]);
