// Schemas that answers of several nouns have.
import { z } from "zod";

/** The part of a list that an answer contains. */
export const paginationSchema = z
  .object({ limit: z.int(), offset: z.int(), total: z.int(), has_more: z.boolean() })
  .meta({ id: "Pagination" });

/** The answer to a deletion. */
export const deletedSchema = z.object({ success: z.literal(true), deleted: z.literal(true) }).meta({ id: "Deleted" });

/** Where a page stands among all entries. */
export function paginationOf(
  { limit, offset, total }: { limit: number; offset: number; total: number },
  shown: readonly unknown[],
): z.infer<typeof paginationSchema> {
  return { limit, offset, total, has_more: offset + shown.length < total };
}
