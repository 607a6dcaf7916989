// Table of the sessions of public agents' visitors, as created by migration 0059.

declare module "../../kernel/database/database.ts" {
  interface Tables {
    public_visits: {
      session_id: string;
      agent_code: string;
      /** In UTC, as YYYY-MM-DD. */
      day: string;
      visitor_digest: string;
      address_digest: string;
    };
  }
}

export {};
