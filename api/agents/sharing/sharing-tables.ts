// Table of the agents that are shared, as created by migration 0059.

declare module "../../kernel/database/database.ts" {
  interface Tables {
    agent_sharing: {
      agent_id: string;
      is_public: boolean;
      /** CSP host sources. */
      origins: string[];
      visitor_minutes_per_day: number;
      sessions_per_day: number;
      updated_at: Date;
    };
  }
}

export {};
