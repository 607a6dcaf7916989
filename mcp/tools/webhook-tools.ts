// Tools for webhooks.
import { z } from "zod";
import { ADDS, DELETES, READS, type Tool, type ToolContext, tool } from "../tool.ts";
import { DELETED, WEB_ADDRESS } from "./shapes.ts";

const EVENTS = [
  "agent.ready",
  "agent.failed",
  "video.completed",
  "video.failed",
  "dynamics.ready",
  "dynamics.failed",
  "ping",
] as const;
const WEBHOOK_ID = z.string().min(1).max(100).describe("Id of list_webhooks");
const WEBHOOK = z.looseObject({ id: z.string(), url: z.string(), events: z.array(z.string()), active: z.boolean() });

export const WEBHOOK_TOOLS: readonly Tool[] = [
  tool({
    name: "create_webhook",
    title: "Register a webhook",
    description:
      "Registers an address that is told when agents, films and gestures are done. Its signing secret is not shown in a conversation: it is written to a file where this server has a folder.",
    input: z.object({
      url: WEB_ADDRESS,
      events: z.array(z.enum(EVENTS)).min(1).optional().describe("Default: those of agents"),
      description: z.string().max(1_000).optional(),
    }),
    output: WEBHOOK.extend({ secret_file: z.string().nullable(), note: z.string() }),
    annotations: { ...ADDS, openWorldHint: true },
    async run(body, context) {
      const { secret, ...data } = await context.client.webhooks.create(body, { signal: context.signal });
      return { data: { ...data, ...(await keepSecret(data.id, secret, context)) } };
    },
  }),
  tool({
    name: "list_webhooks",
    title: "List the webhooks",
    description: "Lists the account's webhooks, oldest first.",
    input: z.object({}),
    output: z.looseObject({ webhooks: z.array(WEBHOOK) }),
    annotations: READS,
    async run(_, { client, signal }) {
      const { items } = await client.webhooks.list({ signal });
      return { data: { webhooks: items } };
    },
  }),
  tool({
    name: "delete_webhook",
    title: "Delete a webhook",
    description: "Deletes a webhook for good; what it waits for is no longer sent.",
    input: z.object({ webhook_id: WEBHOOK_ID }),
    output: DELETED,
    annotations: DELETES,
    run: async ({ webhook_id }, { client, signal }) => ({ data: await client.webhooks.delete(webhook_id, { signal }) }),
  }),
  tool({
    name: "test_webhook",
    title: "Test a webhook",
    description: "Sends a ping to a webhook now, once, and returns whether it was taken.",
    input: z.object({ webhook_id: WEBHOOK_ID }),
    output: z.looseObject({ delivered: z.boolean(), status_code: z.number().nullable() }),
    annotations: { ...ADDS, openWorldHint: true },
    run: async ({ webhook_id }, { client, signal }) => ({ data: await client.webhooks.test(webhook_id, { signal }) }),
  }),
];

/** A conversation is stored and read by others: the secret goes into a file, or stays unknown. */
async function keepSecret(id: string, secret: string, { files }: ToolContext) {
  const without = "The secret is not shown here. To verify deliveries, register the webhook in the console instead.";
  if (!files) return { secret_file: null, note: without };
  const path = `webhook-${id}.secret`;
  const secret_file = await files.write(path, `${secret}\n`, { isPrivate: true });
  return {
    secret_file,
    note: "The file holds the secret that deliveries are signed with, for the server that gets them.",
  };
}
