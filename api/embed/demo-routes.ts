// GET /demo: leads to the embed page of the demo agent with a fresh token. It needs no credential and spends the
// operator's resources, so it is open to this machine only, unless the operator opens it, and its avatar sessions are
// capped.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isFromHere } from "../../program/http/local-request.ts";
import { ServiceError } from "../../shared/errors.ts";
import { findOperatorSecret } from "../accounts/operator-account.ts";
import { findAgentByCode } from "../agents/record/agent-store.ts";
import { redirectTo } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** Demo sessions at a time, over all visitors. Half of what one avatar worker takes by default. */
export const MAX_DEMO_SESSIONS = 4;
/** Agent that `npm start` makes for the demo. */
const DEMO_AGENT_CODE = "demo";
const LANGUAGE_TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

export function demoRoutes({ config, database, tokens }: Kernel): Route[] {
  return [
    route({
      method: "get",
      path: "/demo",
      operation: "demo.open",
      tier: "address",
      auth: "none",
      summary: "Embed page of the demo agent, with a fresh token",
      tags: ["Embed"],
      internal: true,
      errors: [],
      query: z.object({ lang: z.string().regex(LANGUAGE_TAG).optional().catch(undefined) }),
      async handler({ request, query: { lang } }) {
        const isOpen =
          config.pages.demoAccess === "everyone" || (config.pages.demoAccess === "this-machine" && isFromHere(request));
        if (!isOpen)
          throw new ServiceError(
            "FORBIDDEN",
            "The demo is available only on the machine of the service. AVATAR_DEMO=1 opens it to everyone.",
          );
        // In the fragment a token reaches no server and no log.
        const look = lang === undefined ? "" : `?lang=${lang}`;
        return redirectTo(`/embed/${DEMO_AGENT_CODE}${look}#token=${await mintDemoToken()}`);
      },
    }),
  ];

  async function mintDemoToken(): Promise<string> {
    const operator = await findOperatorSecret(database);
    const agent = await findAgentByCode(database, DEMO_AGENT_CODE);
    if (!operator || agent?.userId !== operator.userId || agent.deletedAt) {
      throw new ServiceError("NOT_FOUND", "There is no demo agent. npm start creates it.");
    }
    const sid = randomUUID();
    const { userId: sub, secretId: key } = operator;
    const claims = { sub, key, sid, agent: agent.code, endUserId: sid, model: null };
    return (await tokens.embed.mint({ ...claims, demo: true })).token;
  }
}
