// The tables of what a conversation keeps, as created by the migrations.
import type { ColumnType, Generated } from "kysely";
import type { AnswerLatency } from "../../../shared/runtime-api.ts";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    session_messages: {
      session_id: string;
      /** Counts the messages of a session from 1. */
      seq: number;
      role: "user" | "assistant";
      message: string;
      said_at: Date;
      /** How long an answer took, as its worker reported; JSON. */
      latency: ColumnType<AnswerLatency | null, string | null | undefined, string | null>;
    };
    /** What the conversations of an account say in a day. */
    message_days: {
      user_id: string;
      /** Days since 1970, UTC. */
      day: number;
      bytes: number;
    };
    session_contexts: {
      id: Generated<string>;
      session_id: string;
      context: string;
      added_at: Date;
    };
  }
}
