// The stream by which the console's pages hear of changes.
import { z } from "zod";
import { CHANGES_PATH } from "../../shared/change-nouns.ts";
import { ServiceError } from "../../shared/errors.ts";
import { isOperator } from "../accounts/operator-account.ts";
import { Answer } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { ChangeFeed, ChangeServices } from "./change-feed.ts";

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  // nginx would collect answers.
  "X-Accel-Buffering": "no",
  // A connection that has carried a stream ends with it, so that a service that stops does not wait for it.
  Connection: "close",
};

export function changeRoutes(feed: ChangeFeed, { isMember }: Pick<ChangeServices, "isMember">): Route[] {
  return [
    route({
      method: "get",
      path: CHANGES_PATH,
      operation: "consoleChanges.stream",
      tier: "read",
      auth: "console",
      internal: true,
      isUnattended: true,
      summary: "Kinds of things that have changed, as they change",
      tags: ["Console"],
      // Pages cannot send headers with a stream.
      query: z.object({ organization_id: z.uuid().optional() }),
      responseType: "text/event-stream",
      errors: ["FORBIDDEN", "RATE_LIMITED", "SERVICE_UNAVAILABLE"],
      async handler({ caller, query }) {
        const { userId } = caller.account;
        const organizationId = query.organization_id ?? caller.organizationId;
        const isOwn = organizationId === caller.organizationId;
        const mayAct = isOwn || (caller.organizationId === null && (await isMember(organizationId ?? "", userId)));
        if (!mayAct) {
          throw new ServiceError(
            "FORBIDDEN",
            "You are not a member of this organization, or signed in for another one",
          );
        }
        const owners = { userId, organizationId, isOperator: isOperator(caller.account) };
        return new Answer<never>({
          headers: HEADERS,
          stream: feed.open(owners, caller.consoleSessionId),
          isOpenEnded: true,
        });
      },
    }),
  ];
}
