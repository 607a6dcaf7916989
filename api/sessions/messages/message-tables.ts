// The tables of what a conversation keeps, as created by the migrations.
import type { Generated } from "kysely";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    session_messages: {
      session_id: string;
      /** Counts the messages of a session from 1. */
      seq: number;
      role: "user" | "assistant";
      message: string;
      said_at: Date;
    };
    session_contexts: {
      id: Generated<string>;
      session_id: string;
      context: string;
      added_at: Date;
    };
  }
}
