// Providers in PostgreSQL. Every function takes the database or a transaction.
import type { Selectable } from "kysely";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { Provider } from "./provider.ts";

/** An account's providers, in the order of its list. */
export async function listProviders(database: Queryable, userId: string): Promise<Provider[]> {
  const rows = await database
    .selectFrom("providers")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("position")
    .execute();
  return rows.map(toProvider);
}

/** The account's providers of these ids. */
export async function findProviders(database: Queryable, userId: string, ids: readonly string[]): Promise<Provider[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("providers")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", "in", ids)
    .execute();
  return rows.map(toProvider);
}

/** Makes `providers` the account's list. The caller holds the account's row. */
export async function writeProviders(
  database: Queryable,
  userId: string,
  providers: readonly Provider[],
  now: Date,
): Promise<void> {
  const ids = providers.map(({ id }) => id);
  const all = database.deleteFrom("providers").where("user_id", "=", userId);
  await (ids.length === 0 ? all : all.where("id", "not in", ids)).execute();
  if (ids.length === 0) return;
  const rows = providers.map((provider, position) => toRow(userId, provider, position, now));
  await database
    .insertInto("providers")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["user_id", "id"]).doUpdateSet((fields) => ({
        position: fields.ref("excluded.position"),
        platform: fields.ref("excluded.platform"),
        label: fields.ref("excluded.label"),
        base_url: fields.ref("excluded.base_url"),
        options: fields.ref("excluded.options"),
        metadata: fields.ref("excluded.metadata"),
        secrets: fields.ref("excluded.secrets"),
        sealed_secrets: fields.ref("excluded.sealed_secrets"),
        updated_at: fields.ref("excluded.updated_at"),
      })),
    )
    .execute();
}

function toProvider(row: Selectable<Tables["providers"]>): Provider {
  const marks = Object.entries(row.secrets).map(([name, { hint, updated_at }]) => [
    name,
    { hint, updatedAt: new Date(updated_at) },
  ]);
  return {
    id: row.id,
    platform: row.platform,
    label: row.label,
    baseUrl: row.base_url,
    options: row.options,
    metadata: row.metadata,
    secrets: Object.fromEntries(marks),
    sealedSecrets: row.sealed_secrets,
  };
}

function toRow(userId: string, provider: Provider, position: number, now: Date) {
  const marks = Object.entries(provider.secrets).map(([name, { hint, updatedAt }]) => [
    name,
    { hint, updated_at: updatedAt.toISOString() },
  ]);
  return {
    user_id: userId,
    id: provider.id,
    position,
    platform: provider.platform,
    label: provider.label,
    base_url: provider.baseUrl,
    options: JSON.stringify(provider.options),
    metadata: JSON.stringify(provider.metadata),
    secrets: JSON.stringify(Object.fromEntries(marks)),
    sealed_secrets: provider.sealedSecrets,
    created_at: now,
    updated_at: now,
  };
}
