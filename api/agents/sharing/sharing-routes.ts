// Routes of an agent's sharing: who may meet it without a token of its owner, on which sites, and how often.
import { z } from "zod";
import { type Route, route } from "../../kernel/http/route.ts";
import { requireOwnAgent } from "../agent-access.ts";
import type { AgentServices } from "../agent-services.ts";
import type { Agent } from "../record/agent.ts";
import "../agent-events.ts";
import { type AgentSharing, NOT_SHARED } from "./agent-sharing.ts";
import { findSharing, setSharing } from "./sharing-store.ts";
import { parseSiteOrigin } from "./site-origin.ts";

const PATH = "/v1/agent/:code/sharing";
const TAGS = ["Embed"];
const MAX_ORIGINS = 50;
const MAX_ORIGIN_CHARACTERS = 300;
const MINUTES_OF_A_DAY = 1440;
const MAX_SESSIONS_PER_DAY = 100_000;

const origin = z
  .string()
  .max(MAX_ORIGIN_CHARACTERS)
  .refine((text) => parseSiteOrigin(text) !== undefined, {
    message: "must be a site like https://shop.example or https://*.shop.example; http is for localhost only",
  });

const sharingFields = {
  is_public: z.boolean(),
  visitor_minutes_per_day: z.int().min(1).max(MINUTES_OF_A_DAY),
  sessions_per_day: z.int().min(1).max(MAX_SESSIONS_PER_DAY),
};
const sharingSchema = z
  .object({ ...sharingFields, origins: z.array(z.string()), url: z.string().nullable() })
  .meta({ id: "AgentSharing" });
const responseSchema = z.object({ success: z.literal(true), data: sharingSchema });
const shared = {
  path: PATH,
  auth: "secret",
  tags: TAGS,
  params: z.object({ code: z.string().max(100) }),
  response: responseSchema,
  errors: ["NOT_FOUND"],
} as const;

export function sharingRoutes(services: AgentServices): Route[] {
  const { database, events, now, publicUrl } = services;

  function view({ code }: Agent, sharing: AgentSharing): z.input<typeof sharingSchema> {
    return {
      is_public: sharing.isPublic,
      origins: [...sharing.origins],
      visitor_minutes_per_day: sharing.visitorMinutesPerDay,
      sessions_per_day: sharing.sessionsPerDay,
      url: sharing.isPublic ? `${publicUrl}/share/${encodeURIComponent(code)}` : null,
    };
  }

  return [
    route({
      ...shared,
      method: "get",
      operation: "agentSharing.get",
      tier: "read",
      summary: "Get how an agent is shared with the public",
      async handler({ params, caller }) {
        const agent = await requireOwnAgent(database, caller.account, params.code);
        return { success: true as const, data: view(agent, await findSharing(database, agent)) };
      },
    }),
    route({
      ...shared,
      method: "put",
      operation: "agentSharing.replace",
      tier: "write",
      summary: "Share an agent with the public, or stop it",
      description:
        "Visitors of a public agent need no embed token. Its owner pays for their sessions. Once an agent is no longer public, new visits are refused, and running sessions of its visitors end. Fields that are absent get their defaults.",
      body: z
        .object({
          ...sharingFields,
          visitor_minutes_per_day: sharingFields.visitor_minutes_per_day.nullish(),
          sessions_per_day: sharingFields.sessions_per_day.nullish(),
          origins: z.array(origin).max(MAX_ORIGINS).nullish(),
        })
        .meta({ id: "ShareAgent" }),
      example: {
        params: { code: "AGENT_CODE" },
        body: { is_public: true, origins: ["https://shop.example"], visitor_minutes_per_day: 15 },
      },
      async handler({ params, body, caller }) {
        const agent = await requireOwnAgent(database, caller.account, params.code);
        const sharing: AgentSharing = {
          isPublic: body.is_public,
          origins: [...new Set((body.origins ?? NOT_SHARED.origins).flatMap((site) => parseSiteOrigin(site) ?? []))],
          visitorMinutesPerDay: body.visitor_minutes_per_day ?? NOT_SHARED.visitorMinutesPerDay,
          sessionsPerDay: body.sessions_per_day ?? NOT_SHARED.sessionsPerDay,
        };
        const at = new Date(now());
        await database.transaction().execute(async (transaction) => {
          await setSharing(transaction, agent, sharing, at);
          if (sharing.isPublic) return;
          await events.publish(transaction, "agent.unshared", { userId: agent.userId, agentCode: agent.code, at });
        });
        return { success: true as const, data: view(agent, sharing) };
      },
    }),
  ];
}
