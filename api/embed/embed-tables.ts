// Table of embed settings, as created by migration 0028.

declare module "../kernel/database/database.ts" {
  interface Tables {
    embed_settings: {
      user_id: string;
      /** CSP host sources; null for any site. */
      frame_ancestors: string[] | null;
      updated_at: Date;
    };
  }
}

export {};
