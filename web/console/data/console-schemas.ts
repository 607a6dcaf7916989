// What the service answers to the console's own questions. Loaded with the first answer that is read.
import { z } from "./zod.ts";

const sessionSchema = z.object({
  id: z.string(),
  method: z.enum(["link", "secret", "issuer"]),
  user_agent: z.string(),
  address: z.string(),
  last_used_at: z.string(),
  is_current: z.boolean(),
});

export const sessionsSchema = z.object({ data: z.array(sessionSchema) });
export const issuerSchema = z.object({ url: z.url() });
export const deviceSchema = z.object({
  user_code: z.string(),
  host: z.string(),
  address: z.string(),
  created_at: z.string(),
});

export type ListedSession = z.infer<typeof sessionSchema>;
export type AskingDevice = z.infer<typeof deviceSchema>;
