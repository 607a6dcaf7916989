// The list of migrations, in order. A file under `migrations/` counts once it is named here.
import type { Migration } from "./migration.ts";
import { accountsMigration } from "./migrations/0001-accounts.ts";

export const MIGRATIONS: readonly Migration[] = Object.freeze([accountsMigration]);
