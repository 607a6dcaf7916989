import { z } from "zod";
import { text } from "./values.ts";

/** Where parts that the archive of the command leaves out come from. `AVATAR_PARTS_DIR`, where they are kept, is read
 *  by `program/parts/find-part.ts`. */
export const partsSettings = z
  .object({ AVATAR_PARTS_URL: text.optional(), AVATAR_PARTS_DIR: text.optional() })
  .transform(({ AVATAR_PARTS_URL }) => ({ source: AVATAR_PARTS_URL }));
