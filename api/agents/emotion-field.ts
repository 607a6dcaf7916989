// The fields `emotion` and `manner` of requests: what a face shows by default, and how lively it is.
import { z } from "zod";
import { EXPRESSION_PATTERN, EXPRESSION_RULE } from "../../shared/expressions.ts";
import { MANNERS } from "../../shared/manners.ts";

/** Refuses other texts with the list of names. */
export const emotionField = z.string().regex(EXPRESSION_PATTERN, { error: EXPRESSION_RULE });

export const mannerField = z.enum(MANNERS, { error: `must be one of ${MANNERS.join(", ")}` });
