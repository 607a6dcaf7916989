// The table of messages, as created by the migrations.
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
  }
}
