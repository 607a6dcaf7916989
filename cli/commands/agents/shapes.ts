// What `avatar agents …` and `avatar token` print with --json. Of the service's answers they keep what they name.
import { z } from "zod";

export const agentSummaryShape = z.object({
  code: z.string(),
  name: z.string(),
  model: z.string(),
  status: z.string(),
  supported_models: z.array(z.string()),
  created_at: z.string(),
});

export const agentShape = agentSummaryShape.extend({
  system_prompt: z.string(),
  greeting: z.string(),
  language: z.string(),
  voice_id: z.string(),
  progress: z.number().meta({ description: "Of its making, 0 to 1" }),
  progress_msg: z.string(),
  kb_ids: z.array(z.string()),
  error_message: z.string().nullable(),
});

export const agentsListShape = z.object({ agents: z.array(agentSummaryShape), has_more: z.boolean() });

export const agentsCreateShape = z.object({
  code: z.string(),
  status: z.string().meta({ description: "processing with --no-wait" }),
  name: z.string().nullable(),
  model: z.string(),
});

export const agentsDeleteShape = z.object({ code: z.string(), deleted: z.literal(true) });

export const agentsPromptShape = z.object({ code: z.string(), system_prompt: z.string(), updated: z.boolean() });

export const tokenShape = z.object({
  kind: z.enum(["embed", "launch", "download"]),
  agent_code: z.string(),
  token: z.string(),
  expires_at: z.number().nullable().meta({ description: "Unix time; null where the service does not tell it" }),
});
