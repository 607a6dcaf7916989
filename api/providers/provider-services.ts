// Services of providers. Built once, in `providers-module.ts`.
import type { Logger } from "../../program/log.ts";
import type { AddressGuard } from "../../program/outgoing/address-guard.ts";
import type { Database } from "../kernel/database/database.ts";
import type { TextSeal } from "../kernel/tokens/sealed-text.ts";

export interface ProviderServices {
  database: Database;
  /** Seals the secrets. */
  seal: TextSeal;
  /** Which servers may be named. */
  guard: AddressGuard;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}
