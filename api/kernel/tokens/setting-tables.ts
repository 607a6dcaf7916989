// Table of values that an installation generates for itself, as created by migration 0001.

declare module "../database/database.ts" {
  interface Tables {
    settings: { key: string; value: string };
  }
}

export {};
