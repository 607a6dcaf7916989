// The session endpoint of an account: one per account, with headers of its owner and a switch for each event.
import { ServiceError } from "../../shared/errors.ts";
import type { CustomHeaders } from "./custom-headers.ts";
import { newWebhookSecret } from "./delivery/signature.ts";
import { deleteEndpoint, insertEndpoint, listEndpoints, updateEndpoint } from "./endpoint-store.ts";
import { checkEndpointUrl } from "./endpoint-url.ts";
import { SESSION_EVENTS, type SessionEventName, type WebhookEndpoint } from "./webhook-endpoint.ts";
import type { WebhookServices } from "./webhook-services.ts";

/** A change of the setting. Absent fields stay unchanged. A new setting has every event on and no headers. */
export interface SessionWebhookChange {
  /** Null removes the setting. */
  url?: string | null;
  headers?: CustomHeaders;
  events?: Partial<Record<SessionEventName, boolean>>;
  isActive?: boolean;
  /** Create a new secret. The old one becomes invalid. */
  rotatesSecret: boolean;
}

/** The account's session endpoint, or null. */
export async function findSessionWebhook(services: WebhookServices, userId: string): Promise<WebhookEndpoint | null> {
  const [endpoint] = await listEndpoints(services.database, userId, "session");
  return endpoint ?? null;
}

/** Changes or creates the setting. `secret` is null unless it is new. Throws MISSING_PARAM for a new setting without a
 *  URL, and what `checkEndpointUrl` throws. */
export async function changeSessionWebhook(
  services: WebhookServices,
  userId: string,
  change: SessionWebhookChange,
): Promise<{ endpoint: WebhookEndpoint | null; secret: string | null }> {
  const { database, secretSeal, headersSeal } = services;
  const url = change.url ? await checkEndpointUrl(services, userId, change.url) : change.url;
  const now = new Date(services.now());
  return database.transaction().execute(async (transaction) => {
    // Without the lock, two concurrent first changes would both create a setting.
    await transaction.selectFrom("accounts").select("user_id").where("user_id", "=", userId).forNoKeyUpdate().execute();
    const [current] = await listEndpoints(transaction, userId, "session");
    if (url === null) {
      if (current) await deleteEndpoint(transaction, current.id);
      return { endpoint: null, secret: null };
    }
    const newUrl = url ?? current?.url;
    if (newUrl === undefined) throw new ServiceError("MISSING_PARAM", "Required parameter missing: url");
    const secret = current && !change.rotatesSecret ? null : newWebhookSecret();
    const isOn = (name: SessionEventName) => change.events?.[name] ?? (current ? current.events.includes(name) : true);
    const settings = {
      url: newUrl,
      events: SESSION_EVENTS.filter(isOn),
      isActive: change.isActive ?? current?.isActive ?? true,
      sealedSecret: secret === null ? current.sealedSecret : secretSeal.seal(secret),
      sealedHeaders: change.headers
        ? headersSeal.seal(JSON.stringify(change.headers))
        : (current?.sealedHeaders ?? null),
    };
    const endpoint = current
      ? await updateEndpoint(transaction, current.id, { ...settings, updatedAt: now })
      : await insertEndpoint(transaction, {
          ...settings,
          userId,
          family: "session",
          description: null,
          createdAt: now,
        });
    return { endpoint, secret };
  });
}
