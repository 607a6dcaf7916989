// Schemas that answers of several nouns have.
import { z } from "zod";

/** The part of a list that an answer contains. */
export const paginationSchema = z
  .object({ limit: z.int(), offset: z.int(), total: z.int(), has_more: z.boolean() })
  .meta({ id: "Pagination" });

/** The answer to a deletion. */
export const deletedSchema = z.object({ success: z.literal(true), deleted: z.literal(true) }).meta({ id: "Deleted" });
