// Table of values that an installation generates for itself, as migration 0001 made it.

declare module "../database/database.ts" {
  interface Tables {
    settings: { key: string; value: string };
  }
}

export {};
