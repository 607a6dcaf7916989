// Tables of providers, as created by migration 0044.
import type { ColumnType } from "kysely";

type Json<T> = ColumnType<T, string, string>;

declare module "../kernel/database/database.ts" {
  interface Tables {
    providers: {
      user_id: string;
      id: string;
      /** Place in the account's list. */
      position: number;
      platform: string;
      label: string;
      base_url: string | null;
      options: Json<Record<string, unknown>>;
      metadata: Json<Record<string, unknown>>;
      secrets: Json<Record<string, { hint: string; updated_at: string }>>;
      sealed_secrets: Buffer | null;
      created_at: Date;
      updated_at: Date;
    };
  }
}
