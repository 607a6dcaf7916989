import { z } from "zod";

export const operatorSettings = z
  .object({ AVATAR_OPERATOR_SECRET: z.string().min(32, "must have at least 32 characters").optional() })
  .transform(({ AVATAR_OPERATOR_SECRET }) => ({ secret: AVATAR_OPERATOR_SECRET }));

export const clockSettings = z
  .object({ AVATAR_NOW: z.iso.datetime({ offset: true }).optional() })
  .transform(({ AVATAR_NOW }) => ({ startsAt: AVATAR_NOW }));
