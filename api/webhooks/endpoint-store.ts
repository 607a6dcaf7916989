// Webhook endpoints in PostgreSQL. These functions check nothing.
import type { Selectable } from "kysely";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { WebhookEndpoint, WebhookFamily } from "./webhook-endpoint.ts";

export type NewEndpoint = Pick<
  WebhookEndpoint,
  "userId" | "family" | "url" | "events" | "description" | "isActive" | "sealedSecret" | "sealedHeaders" | "createdAt"
>;

/** Adds an endpoint. */
export async function insertEndpoint(database: Queryable, endpoint: NewEndpoint): Promise<WebhookEndpoint> {
  const row = await database
    .insertInto("webhook_endpoints")
    .values({
      user_id: endpoint.userId,
      family: endpoint.family,
      url: endpoint.url,
      events: endpoint.events,
      description: endpoint.description,
      is_active: endpoint.isActive,
      sealed_secret: endpoint.sealedSecret,
      sealed_headers: endpoint.sealedHeaders,
      created_at: endpoint.createdAt,
      updated_at: endpoint.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEndpoint(row);
}

/** What can be changed of an endpoint. */
export type EndpointPatch = Partial<
  Pick<WebhookEndpoint, "url" | "events" | "description" | "isActive" | "sealedSecret" | "sealedHeaders">
>;

/** Changes an endpoint and returns it, or null if it was deleted. Absent fields stay. */
export async function updateEndpoint(
  database: Queryable,
  id: string,
  patch: EndpointPatch & { updatedAt: Date },
): Promise<WebhookEndpoint | null> {
  const row = await database
    .updateTable("webhook_endpoints")
    .set({
      url: patch.url,
      events: patch.events,
      description: patch.description,
      is_active: patch.isActive,
      sealed_secret: patch.sealedSecret,
      sealed_headers: patch.sealedHeaders,
      updated_at: patch.updatedAt,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row ? toEndpoint(row) : null;
}

/** An account's registered endpoint, or null. */
export async function findRegisteredEndpoint(
  database: Queryable,
  userId: string,
  id: string,
): Promise<WebhookEndpoint | null> {
  const row = await database
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("family", "=", "registered")
    .executeTakeFirst();
  return row ? toEndpoint(row) : null;
}

/** An endpoint by id, or null. */
export async function findEndpoint(database: Queryable, id: string): Promise<WebhookEndpoint | null> {
  const row = await database.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? toEndpoint(row) : null;
}

/** An account's endpoints of one family, oldest first. */
export async function listEndpoints(
  database: Queryable,
  userId: string,
  family: WebhookFamily,
): Promise<WebhookEndpoint[]> {
  const rows = await database
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("user_id", "=", userId)
    .where("family", "=", family)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toEndpoint);
}

/** Deletes an endpoint with its deliveries. Returns false if it does not exist. */
export async function deleteEndpoint(database: Queryable, id: string): Promise<boolean> {
  const result = await database.deleteFrom("webhook_endpoints").where("id", "=", id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

function toEndpoint(row: Selectable<Tables["webhook_endpoints"]>): WebhookEndpoint {
  return {
    id: row.id,
    userId: row.user_id,
    family: row.family,
    url: row.url,
    events: row.events,
    description: row.description,
    isActive: row.is_active,
    sealedSecret: row.sealed_secret,
    sealedHeaders: row.sealed_headers,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
