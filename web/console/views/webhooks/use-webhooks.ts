// What the account's webhooks are, and what was sent to them. They belong to the person, never to an organization.
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SessionWebhook, Webhook, WebhookDelivery, WebhookTestOutcome } from "../../../../sdk/client/index.ts";
import { type Action, useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";

/** In keys of queries, of the session webhook; others have their ids. */
export const SESSION = "session";

export function useEndpoints(): UseQueryResult<Webhook[]> {
  const client = useOwnClient();
  return useQuery({ queryKey: ["webhooks", "list"], queryFn: async () => (await client.webhooks.list()).items });
}

export function useSessionWebhook(): UseQueryResult<SessionWebhook> {
  const client = useOwnClient();
  const { person } = useConsole();
  return useQuery({
    queryKey: ["webhooks", SESSION],
    queryFn: () => client.sessionWebhook.get(person.user_id),
  });
}

/** Deliveries of an endpoint, newest first. `id`: of a registered one, or `SESSION`. `sessionId`: with `SESSION`, only
 *  those about this avatar session. */
export function useDeliveries(id: string, sessionId?: string): UseQueryResult<WebhookDelivery[]> {
  const client = useOwnClient();
  const { person } = useConsole();
  return useQuery({
    queryKey: ["deliveries", id, sessionId ?? ""],
    queryFn: async () => {
      const list =
        id === SESSION
          ? client.sessionWebhook.listDeliveries(person.user_id, { session_id: sessionId })
          : client.webhooks.listDeliveries(id);
      return (await list).items;
    },
  });
}

/** Sends a test event to an endpoint, and hands over what came of it. */
export function useTest(onTested: (id: string, outcome: WebhookTestOutcome) => void): Action<[id: string]> {
  const client = useOwnClient();
  const { person } = useConsole();
  const queries = useQueryClient();
  return useAction(async (id: string) => {
    const call = id === SESSION ? client.sessionWebhook.test(person.user_id) : client.webhooks.test(id);
    onTested(id, await call);
    await queries.invalidateQueries({ queryKey: ["deliveries", id] });
  });
}
