// Tools about the account: its secret, credits, usage and prices, and the service's state.
import { z } from "zod";
import { READS, type Tool, tool } from "../tool.ts";
import { answerOf } from "./lists.ts";
import { limitOf, OFFSET, pageOf } from "./shapes.ts";

const DATE = z.string().max(40).describe("A date or time in ISO 8601");

export const ACCOUNT_TOOLS: readonly Tool[] = [
  tool({
    name: "validate_api_secret",
    title: "Check the API secret",
    description: "Checks whether the API secret of this server is valid. Returns nothing of the secret.",
    input: z.object({}),
    output: z.looseObject({ valid: z.boolean() }),
    annotations: READS,
    run: async (_, { client, signal }) => ({ data: await client.secrets.validate({ signal }) }),
  }),
  tool({
    name: "get_credit_balance",
    title: "Get the credit balance",
    description: "Returns the account's credits, and for how many minutes of each kind of session they last.",
    input: z.object({}),
    output: z.looseObject({
      balance: z.number(),
      plan_credits: z.number(),
      topup_credits: z.number(),
      minutes_estimate: z.record(z.string(), z.number()),
    }),
    annotations: READS,
    run: async (_, { client, signal }) => ({ data: await client.credits.summarize({ signal }) }),
  }),
  tool({
    name: "get_usage",
    title: "List the usage of credits",
    description: "Lists what credits were spent on, newest first: agents, sessions, films.",
    input: z.object({
      limit: limitOf(200, 50),
      offset: OFFSET,
      start: DATE.optional(),
      end: DATE.optional(),
      agent_code: z.string().min(1).max(100).optional(),
    }),
    output: pageOf(
      "usage",
      z.looseObject({ pricing_code: z.string(), credits_change: z.number(), created_at: z.string() }),
    ),
    annotations: READS,
    run: async (query, { client, signal }) => answerOf("usage", await client.usage.list(query, { signal })),
  }),
  tool({
    name: "list_models_and_prices",
    title: "List models and prices",
    description: "Returns what agents of each model, films, gestures and sessions cost in credits.",
    input: z.object({}),
    output: z.looseObject({ agent_generation: z.looseObject({}), talking_video: z.looseObject({}) }),
    annotations: READS,
    run: async (_, { client, signal }) => ({ data: await client.pricing.get({ signal }) }),
  }),
  tool({
    name: "get_platform_status",
    title: "Get the service's state",
    description: "Tells whether the service works and sessions can begin.",
    input: z.object({}),
    output: z.looseObject({ status: z.string(), checks: z.record(z.string(), z.string()) }),
    annotations: READS,
    run: async (_, { client, signal }) => ({ data: await client.system.readiness({ signal }) }),
  }),
];
