// Table of embed settings, as migration 0028 made it.

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
