// What the caller of an accepted request should know.
import { z } from "zod";

/** Source of the first: the contract. */
const WARNING_CODES = ["MODEL_DEFAULT_DEPRECATED", "PICTURE_TOO_TIGHT", "PICTURE_TOO_SMALL"] as const;

export interface ApiWarning {
  code: (typeof WARNING_CODES)[number];
  /** For people, with what to do. */
  message: string;
}

export const warningSchema = z
  .object({ code: z.enum(WARNING_CODES), message: z.string() })
  .meta({ id: "AgentWarning" }) satisfies z.ZodType<ApiWarning>;
