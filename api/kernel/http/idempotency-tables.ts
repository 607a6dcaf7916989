// Tables of stored answers, as created by migration 0003.

declare module "../database/database.ts" {
  interface Tables {
    idempotency_keys: {
      user_id: string;
      operation: string;
      key: string;
      body_sha256: string;
      /** The answer as it was sent, JSON text. */
      answer: string;
      created_at: Date;
    };
  }
}

export {};
