// POST /home/access: gives the start page a token when it is open on the machine of the service, so that a visitor
// there needs no API secret. Every other visitor pastes one.
import { z } from "zod";
import { isFromOwnPage } from "../../program/http/local-request.ts";
import { ServiceError } from "../../shared/errors.ts";
import { findOperatorSecret } from "../accounts/operator-account.ts";
import { type RequestInfo, type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** A request with a header of its own needs the service's consent before a browser sends it from another site, and the
 *  service never gives it. */
const PAGE_HEADER = "x-start-page";

/** The route. The token is good for the start page's own agents and nothing else; see `page-agents.ts`. */
export function pageAccessRoutes({ config, database, tokens }: Kernel): Route[] {
  function mayUsePage(request: RequestInfo): boolean {
    return config.http.hasLocalUrl && isFromOwnPage(request) && request.headers[PAGE_HEADER] === "1";
  }

  return [
    route({
      method: "post",
      path: "/home/access",
      operation: "pages.access",
      tier: "address",
      auth: "none",
      summary: "Token of the start page on the machine of the service",
      tags: ["Pages"],
      internal: true,
      response: z.object({ token: z.string(), expires_at: z.int() }),
      errors: ["FORBIDDEN"],
      async handler({ request }) {
        const operator = mayUsePage(request) ? await findOperatorSecret(database) : null;
        if (!operator) {
          throw new ServiceError("FORBIDDEN", "Only the start page on the machine of the service needs no API secret.");
        }
        const { token, expiresAt } = await tokens.page.mint({ sub: operator.userId, key: operator.secretId });
        return { token, expires_at: expiresAt };
      },
    }),
  ];
}
