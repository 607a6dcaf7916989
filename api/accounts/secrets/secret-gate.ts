// Looks up API secrets: finds the owner of a secret and takes one request off the owner's rate limit. One statement
// does both for all requests that arrive at the same time (ADR 22). Nothing is cached between requests, so that a
// revoked secret is refused at once by every process, and a change of plan applies to the next request.
import type { Pool } from "pg";
import { createBatcher } from "../../kernel/database/batcher.ts";
import { type BucketState, statesOf, type Taking, takeTokensSql } from "../../kernel/limits/token-bucket.ts";
import { FREE_ACCESS_ENDS_MS } from "../plans/free-plan.ts";
import { ACCOUNT_TIERS, type AccountTier, accountBucket, PLANS, ratePerMinute } from "../plans/plans.ts";
import { hashApiSecret } from "./api-secret.ts";
import { type OwnerRow, type SecretOwner, SPENDABLE_CREDITS, toSecretOwner } from "./secret-store.ts";

export interface Admittance {
  owner: SecretOwner;
  /** The owner's bucket after this request. Null if no request was taken: without a tier, for a revoked secret, and for
   *  a Free account after the end of Free access. */
  rate: BucketState | null;
}

export interface SecretGate {
  /** The owner of a secret, also of a revoked one, or null. With a tier, takes one request off that account's bucket.
   *  The use of a secret is noted. */
  open(secret: string, tier: AccountTier | null): Promise<Admittance | null>;
}

export interface SecretGateOptions {
  pool: Pool;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const MAX_BATCH_ITEMS = 200;

/** Rows of plan, tier and requests per minute. */
const ALLOWANCES = PLANS.flatMap((plan) =>
  ACCOUNT_TIERS.map((tier) => `('${plan}', '${tier}', ${ratePerMinute(plan, tier)})`),
).join(", ");

/** Whether a request of this owner is counted here. */
const IS_COUNTED = "owner.revoked_at is null and (owner.plan <> 'free' or not $4::boolean)";

/** A use is noted if the last one that was noted is older. */
const USE_STEP_S = 60;

/** $1 hashes of secrets, $2 tiers (null for none), $3 number of requests of each pair, $4 whether Free access has
 *  ended, $5 time. */
const OPEN = `
  with owner as (
    select pair.tier, pair.requests,
      secret.id as secret_id, secret.secret_sha256, secret.revoked_at, secret.organization_id,
      account.user_id, account.email, account.plan, account.status, account.is_runtime_suspended, account.created_at,
      ${SPENDABLE_CREDITS} as spendable_credits
    from unnest($1::bytea[], $2::text[], $3::int[]) as pair(secret_sha256, tier, requests)
    join api_secrets secret using (secret_sha256)
    join accounts account using (user_id)
    join credit_balances balance using (user_id)
  ), bucket_request as (
    select owner.tier || ':' || owner.user_id as key, allowance.per_minute, sum(owner.requests)::int as requests
    from owner join (values ${ALLOWANCES}) as allowance(plan, tier, per_minute) using (plan, tier)
    where ${IS_COUNTED}
    group by 1, 2
  ), taking as (
    ${takeTokensSql("select key, per_minute, requests from bucket_request", "$5::float8")}
  ), noted as (
    update api_secrets set last_used_at = to_timestamp($5::float8) where id in (
      -- A secret that another request notes just now needs no second note.
      select id from api_secrets
      where id in (select secret_id from owner where revoked_at is null)
        and (last_used_at is null or last_used_at < to_timestamp($5::float8 - ${USE_STEP_S}))
      for no key update skip locked
    )
  )
  select owner.*, taking.tokens, taking.taken
  from owner left join taking on ${IS_COUNTED} and taking.key = owner.tier || ':' || owner.user_id`;

interface GateRow extends OwnerRow {
  secret_sha256: Buffer;
  tier: AccountTier | null;
  tokens: number | null;
  taken: number | null;
}

/** A row with requests that were counted in a bucket. */
type CountedRow = GateRow & { tier: AccountTier } & Taking;

interface GateRequest {
  hash: Buffer;
  /** Hash and tier as one text: requests of the same key share a row. */
  key: string;
  tier: AccountTier | null;
}

/** The gate of a process. */
export function createSecretGate({ pool, now }: SecretGateOptions): SecretGate {
  const open = createBatcher<GateRequest, Admittance | null>({
    maxItems: MAX_BATCH_ITEMS,
    async run(requests) {
      const nowMs = now();
      const rows = await selectOwners(pool, requests, nowMs);
      const states = statesByBucket(requests, rows, nowMs / 1000);
      return requests.map(({ key }) => {
        const row = rows.get(key);
        if (!row) return null;
        // Each request takes the next state of its bucket.
        const rate = isCounted(row) ? (states.get(bucketOf(row))?.shift() ?? null) : null;
        return { owner: toSecretOwner(row), rate };
      });
    },
  });
  return {
    open(secret, tier) {
      const hash = hashApiSecret(secret);
      return open({ hash, tier, key: keyOf(hash, tier) });
    },
  };
}

/** Runs the statement. Returns the rows found, by the key of their requests. */
async function selectOwners(
  pool: Pool,
  requests: readonly GateRequest[],
  nowMs: number,
): Promise<ReadonlyMap<string, GateRow>> {
  const pairs = new Map<string, GateRequest & { count: number }>();
  for (const request of requests) {
    const pair = pairs.get(request.key);
    if (pair) pair.count += 1;
    else pairs.set(request.key, { ...request, count: 1 });
  }
  const unique = [...pairs.values()];
  const { rows } = await pool.query<GateRow>({
    name: "open-secret-gate",
    text: OPEN,
    values: [
      unique.map(({ hash }) => hash),
      unique.map(({ tier }) => tier),
      unique.map(({ count }) => count),
      nowMs >= FREE_ACCESS_ENDS_MS,
      nowMs / 1000,
    ],
  });
  return new Map(rows.map((row) => [keyOf(row.secret_sha256, row.tier), row]));
}

/** The states of each bucket, one per request, in the order of the requests: several secrets of one account share a
 *  bucket. */
function statesByBucket(
  requests: readonly GateRequest[],
  rows: ReadonlyMap<string, GateRow>,
  nowS: number,
): Map<string, BucketState[]> {
  const buckets = new Map<string, { row: CountedRow; requests: number }>();
  for (const { key } of requests) {
    const row = rows.get(key);
    if (!row || !isCounted(row)) continue;
    const bucket = bucketOf(row);
    buckets.set(bucket, { row, requests: (buckets.get(bucket)?.requests ?? 0) + 1 });
  }
  return new Map(
    [...buckets].map(([bucket, { row, requests: count }]) => [
      bucket,
      statesOf(row, count, ratePerMinute(row.plan, row.tier), nowS),
    ]),
  );
}

function isCounted(row: GateRow): row is CountedRow {
  return row.tier !== null && row.taken !== null;
}

function bucketOf(row: CountedRow): string {
  return accountBucket(row.tier, row.user_id);
}

function keyOf(hash: Buffer, tier: AccountTier | null): string {
  return `${hash.toString("base64")} ${tier ?? ""}`;
}
