// Tables of embed settings and short links, as created by migrations 0028 and 0057.

declare module "../kernel/database/database.ts" {
  interface Tables {
    embed_settings: {
      user_id: string;
      /** CSP host sources; null for any site. */
      frame_ancestors: string[] | null;
      updated_at: Date;
    };
    embed_links: {
      code: string;
      user_id: string;
      secret_id: string;
      agent_code: string;
      model: string | null;
      created_at: Date;
      expires_at: Date;
    };
  }
}

export {};
