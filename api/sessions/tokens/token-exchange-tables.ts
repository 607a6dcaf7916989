// Table of token exchanges, as created by migration 0027.

declare module "../../kernel/database/database.ts" {
  interface Tables {
    token_exchanges: {
      /** The transaction_id of the answer. */
      id: string;
      user_id: string;
      agent_code: string | null;
      billing_type: string | null;
      room_name: string | null;
      end_user_id: string | null;
      fingerprint: string | null;
      tags: string | null;
      /** When its token expires. */
      expires_at: Date;
    };
  }
}

export {};
