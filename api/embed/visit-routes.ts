// POST /embed/visit: gives the page of a public agent an embed token, so that its visitors need none of the owner's.
import { z } from "zod";
import { addressKey } from "../../program/http/address-key.ts";
import { ServiceError } from "../../shared/errors.ts";
import { notShared } from "../accounts/not-shared.ts";
import { findPublicAgent } from "../agents/sharing/sharing-store.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { tabId } from "./embed-visitor.ts";
import { shortDigest } from "./short-digest.ts";

/** Visits per minute. The page asks once when it is loaded, and once an hour. */
const TAB_PER_MINUTE = 20;
const ADDRESS_PER_MINUTE = 60;

export function visitRoutes({ database, limiter, tokens }: Kernel): Route[] {
  async function limit(who: string, key: string, perMinute: number): Promise<void> {
    const { isAllowed, retryAfterSeconds } = await limiter.take(`embed-visit-${key}`, perMinute);
    if (isAllowed) return;
    throw new ServiceError(
      "RATE_LIMITED",
      `${who} may open shared pages at most ${perMinute} times a minute. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }

  return [
    // No other site's script can read the answer: the page asks its own origin.
    route({
      method: "post",
      path: "/embed/visit",
      operation: "embed.visit",
      tier: "address",
      auth: "none",
      summary: "Embed token for a visitor of a public agent",
      tags: ["Embed"],
      internal: true,
      body: z.object({ agent_id: z.string().max(100), tab_id: tabId }),
      response: z.object({ token: z.string(), expires_at: z.int() }),
      errors: ["NOT_FOUND"],
      async handler({ body, request }) {
        await limit("A visitor", `tab:${shortDigest(body.tab_id)}`, TAB_PER_MINUTE);
        await limit("One network", `address:${addressKey(request.ip)}`, ADDRESS_PER_MINUTE);
        const agent = await findPublicAgent(database, body.agent_id);
        if (agent === null) throw notShared();
        // All visitors of an agent share the limits of one token.
        const claims = { sub: agent.userId, sid: `visit ${body.agent_id}`, agent: body.agent_id };
        const { token, expiresAt } = await tokens.embed.mint({ ...claims, endUserId: null, model: null });
        return { token, expires_at: expiresAt };
      },
    }),
  ];
}
