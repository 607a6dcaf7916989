// Replaces the list of an account's providers. Entries of known ids are merged with what is stored of them.
import { randomUUID } from "node:crypto";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import { type HostCheck, normaliseBaseUrl } from "./base-url.ts";
import { DEFAULT_BASE_URL, type Provider, RUNNABLE_PLATFORM, type SecretMark } from "./provider.ts";
import { baseUrlOf, type ProviderEntry, secretsOf } from "./provider-entry.ts";
import type { ProviderServices } from "./provider-services.ts";
import { listProviders, writeProviders } from "./provider-store.ts";

/** A shorter secret has no hint, which would tell too much of it. */
const MIN_HINTED_CHARACTERS = 12;
const HINT_CHARACTERS = 4;
/** Limit of all name look-ups of a list, ms. Names that are left over are checked when they are connected to. */
const LOOKUPS_MS = 4_000;

/** An entry with a checked address. */
interface CheckedEntry {
  entry: ProviderEntry;
  /** As messages name it. */
  place: string;
  id: string;
  /** Undefined to keep the stored one. */
  baseUrl: string | null | undefined;
}

/** Returns the new list. Throws VALIDATION_ERROR, with the place of the entry, for an id that is named twice, for a
 *  base URL that is malformed or has a private address, and for another base URL without new secrets: a stored secret
 *  is never sent to an address that it was not entered for. */
export async function replaceProviders(
  services: ProviderServices,
  userId: string,
  entries: readonly ProviderEntry[],
): Promise<Provider[]> {
  const { database, logger } = services;
  const check: HostCheck = { guard: services.guard, userId, untilMs: performance.now() + LOOKUPS_MS };
  const checked: CheckedEntry[] = [];
  // One after the other: a list of names takes no more of the process's look-ups than a single one.
  for (const [index, entry] of entries.entries()) checked.push(await checkEntry(check, entry, index));
  const repeated = checked.find(({ id }, index) => checked.findIndex((other) => other.id === id) < index);
  if (repeated) throw refused(`${repeated.place}.id`, "the id is used twice");
  const now = new Date(services.now());
  const providers = await database.transaction().execute(async (transaction) => {
    // Without the lock, two lists that are written at once would be mixed.
    await transaction.selectFrom("accounts").select("user_id").where("user_id", "=", userId).forNoKeyUpdate().execute();
    const stored = new Map((await listProviders(transaction, userId)).map((provider) => [provider.id, provider]));
    const merged = checked.map((one) => merge(services, one, stored.get(one.id), now));
    await writeProviders(transaction, userId, merged, now);
    return merged;
  });
  logger.info({ userId, providers: providers.length }, "providers replaced");
  return providers;
}

async function checkEntry(check: HostCheck, entry: ProviderEntry, index: number): Promise<CheckedEntry> {
  const place = entry.id ? `entries.${index} (${entry.id})` : `entries.${index}`;
  const url = baseUrlOf(entry.credentials ?? {});
  try {
    const baseUrl = url ? await normaliseBaseUrl(url, entry.platform, check) : url;
    return { entry, place, id: entry.id ?? randomUUID(), baseUrl };
  } catch (cause) {
    if (!isServiceError(cause)) throw cause;
    throw refused(`${place}.credentials.baseUrl`, cause.message, cause);
  }
}

function merge(
  { seal }: ProviderServices,
  { entry, place, id, baseUrl: given }: CheckedEntry,
  stored: Provider | undefined,
  now: Date,
): Provider {
  const baseUrl = given === undefined ? (stored?.baseUrl ?? null) : given;
  const kept = keptSecrets(entry, stored);
  const news = secretsOf(entry.credentials ?? {});
  const stale = Object.keys(kept).filter((name) => !Object.hasOwn(news, name));
  const { platform } = entry;
  if (stored && stale.length > 0 && addressOf(stored) !== addressOf({ platform, baseUrl })) {
    throw refused(
      `${place}.credentials`,
      `the address has changed: send ${stale.join(", ")} again, or name it in clearSecrets`,
    );
  }
  const values: Record<string, string> = stored?.sealedSecrets ? JSON.parse(seal.open(stored.sealedSecrets)) : {};
  const secrets = { ...kept };
  for (const [name, value] of Object.entries(news)) {
    if (values[name] !== value || !Object.hasOwn(kept, name)) secrets[name] = { hint: hintOf(value), updatedAt: now };
  }
  const sealed = Object.fromEntries(Object.keys(secrets).map((name) => [name, news[name] ?? values[name]]));
  return {
    id,
    platform,
    label: entry.label ?? stored?.label ?? "",
    baseUrl,
    options: entry.options ?? stored?.options ?? {},
    metadata: entry.metadata ?? stored?.metadata ?? {},
    secrets,
    sealedSecrets: Object.keys(sealed).length > 0 ? seal.seal(JSON.stringify(sealed)) : null,
  };
}

/** What stays of the stored secrets before new ones come. */
function keptSecrets({ clearSecrets }: ProviderEntry, stored: Provider | undefined): Record<string, SecretMark> {
  if (!stored || clearSecrets === true) return {};
  const cleared = Array.isArray(clearSecrets) ? clearSecrets : [];
  return Object.fromEntries(Object.entries(stored.secrets).filter(([name]) => !cleared.includes(name)));
}

/** Where the secrets are sent. The path counts: a host may be shared, and its paths belong to different customers. */
function addressOf({ platform, baseUrl }: Pick<Provider, "platform" | "baseUrl">): string {
  return `${platform} ${baseUrl ?? (platform === RUNNABLE_PLATFORM ? DEFAULT_BASE_URL : "")}`;
}

function hintOf(secret: string): string {
  return secret.length < MIN_HINTED_CHARACTERS ? "" : `…${secret.slice(-HINT_CHARACTERS)}`;
}

function refused(field: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError("VALIDATION_ERROR", `Invalid body: ${field}: ${message}`, { cause });
}
