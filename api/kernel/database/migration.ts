// The shape of a migration. Migrations only go forward; an applied one is never edited.
import type { Transaction } from "kysely";

export interface Migration {
  /** `NNNN-what`, the name of its file; the number gives the order. */
  name: string;
  /** Changes the schema inside the runner's transaction. It must not depend on today's table types. */
  up(transaction: Transaction<unknown>): Promise<void>;
}
