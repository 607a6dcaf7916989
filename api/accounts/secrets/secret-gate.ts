// Opens to API secrets: finds a secret's owner and takes one request off the owner's rate limit, both in one statement for all
// requests that come at the same time. Nothing is remembered between requests, so a secret that is revoked, in whatever process, is
// refused by the next one, and a change of plan counts from the next one on.
import type { Pool } from "pg";
import { createBatcher } from "../../kernel/database/batcher.ts";
import { type BucketState, statesOf, type Taking, takeTokensSql } from "../../kernel/limits/token-bucket.ts";
import { type AccountRow, type SecretOwner, toAccount } from "../account-store.ts";
import { FREE_ACCESS_ENDS_MS } from "../plans/free-plan.ts";
import { ACCOUNT_TIERS, type AccountTier, accountBucket, PLANS, ratePerMinute } from "../plans/plans.ts";
import { hashApiSecret } from "./api-secret.ts";

export interface Admittance {
  owner: SecretOwner;
  /** The owner's bucket after this request; null where none was taken: no tier was named, the secret is revoked, or whether a Free
   *  account may call at all is yet to be seen. */
  rate: BucketState | null;
}

export interface SecretGate {
  /** Whose secret this is, revoked ones included, or null. With a tier, one request is taken off that account's bucket. */
  open(secret: string, tier: AccountTier | null): Promise<Admittance | null>;
}

export interface SecretGateOptions {
  pool: Pool;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const MAX_BATCH_ITEMS = 200;

const ALLOWANCES = PLANS.flatMap((plan) =>
  ACCOUNT_TIERS.map((tier) => `('${plan}', '${tier}', ${ratePerMinute(plan, tier)})`),
).join(", ");

/** Whether the owner of a secret may be counted already. Source: the rule of the Free plan's end. */
const IS_COUNTED = "owner.revoked_at is null and (owner.plan <> 'free' or not $4::boolean)";

/** $1 hashes of secrets, $2 tiers (null for none), $3 how many requests of each pair, $4 whether Free access has ended, $5 time. */
const OPEN = `
  with owner as (
    select wish.tier, wish.wanted, secret.id as secret_id, secret.secret_sha256, secret.revoked_at, secret.organization_id,
      account.user_id, account.email, account.plan, account.status, account.is_runtime_suspended, account.created_at
    from unnest($1::bytea[], $2::text[], $3::int[]) as wish(hash, tier, wanted)
    join api_secrets secret on secret.secret_sha256 = wish.hash
    join accounts account on account.user_id = secret.user_id
  ), taking as (
    ${takeTokensSql(
      `select owner.tier || ':' || owner.user_id as key, allowance.per_minute, sum(owner.wanted)::int as wanted
        from owner join (values ${ALLOWANCES}) as allowance(plan, tier, per_minute)
          on allowance.plan = owner.plan and allowance.tier = owner.tier
        where ${IS_COUNTED} group by 1, 2`,
      "$5::float8",
    )}
  )
  select owner.*, taking.tokens, taking.taken
  from owner left join taking on ${IS_COUNTED} and taking.key = owner.tier || ':' || owner.user_id`;

interface OwnerRow extends AccountRow {
  secret_id: string;
  secret_sha256: Buffer;
  revoked_at: Date | null;
  organization_id: string | null;
  tier: AccountTier | null;
  tokens: number | null;
  taken: number | null;
}

interface Wish {
  hash: Buffer;
  /** Secret and tier, as one text. */
  key: string;
  tier: AccountTier | null;
}

/** The gate of a process. */
export function createSecretGate({ pool, now }: SecretGateOptions): SecretGate {
  const open = createBatcher<Wish, Admittance | null>({
    maxItems: MAX_BATCH_ITEMS,
    async run(wishes) {
      const counts = new Map<string, Wish & { wanted: number }>();
      for (const wish of wishes) {
        const counted = counts.get(wish.key);
        if (counted) counted.wanted += 1;
        else counts.set(wish.key, { ...wish, wanted: 1 });
      }
      const unique = [...counts.values()];
      const nowMs = now();
      const { rows } = await pool.query<OwnerRow>({
        name: "open-secret-gate",
        text: OPEN,
        values: [
          unique.map(({ hash }) => hash),
          unique.map(({ tier }) => tier),
          unique.map(({ wanted }) => wanted),
          nowMs >= FREE_ACCESS_ENDS_MS,
          nowMs / 1000,
        ],
      });
      const owners = new Map(rows.map((row) => [keyOf(row.secret_sha256, row.tier), row]));
      const buckets = sharedBuckets(wishes, owners, nowMs / 1000);
      return wishes.map(({ key }) => {
        const row = owners.get(key);
        if (!row) return null;
        const owner = {
          account: toAccount(row),
          secretId: row.secret_id,
          isRevoked: row.revoked_at !== null,
          organizationId: row.organization_id,
        };
        return { owner, rate: isTaken(row) ? (buckets.get(bucketOf(row))?.shift() ?? null) : null };
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

/** The states of each bucket that was taken from, one for each request, in the order in which the requests came: several secrets
 *  of one account share a bucket. */
function sharedBuckets(
  wishes: readonly Wish[],
  owners: ReadonlyMap<string, OwnerRow>,
  nowS: number,
): Map<string, BucketState[]> {
  const wanted = new Map<string, { row: OwnerRow & { tier: AccountTier } & Taking; count: number }>();
  for (const { key } of wishes) {
    const row = owners.get(key);
    if (!row || !isTaken(row)) continue;
    const bucket = bucketOf(row);
    wanted.set(bucket, { row, count: (wanted.get(bucket)?.count ?? 0) + 1 });
  }
  return new Map(
    [...wanted].map(([bucket, { row, count }]) => [
      bucket,
      statesOf(row, count, ratePerMinute(row.plan, row.tier), nowS),
    ]),
  );
}

function isTaken(row: OwnerRow): row is OwnerRow & { tier: AccountTier } & Taking {
  return row.tier !== null && row.taken !== null;
}

function bucketOf(row: OwnerRow & { tier: AccountTier }): string {
  return accountBucket(row.tier, row.user_id);
}

function keyOf(hash: Buffer, tier: AccountTier | null): string {
  return `${hash.toString("base64")} ${tier ?? ""}`;
}
