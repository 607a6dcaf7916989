// The contract's rules for credentials, rate limits and the shape of answers, in our own words. Each row needs a proof,
// like the rows of `rows.ts`.
import type { ContractRow } from "./rows.ts";

const rowsOf = (section: string, rows: Record<string, string>): readonly ContractRow[] =>
  Object.entries(rows).map(([name, says]) => ({ id: `${section}/${name}`, says }));

export const AUTHENTICATION_ROWS = rowsOf("authentication", {
  "validate-never-refuses": "POST /v1/validate answers 200 and valid, whatever the credential",
  "path-before-secret": "a path that does not exist is 404 for everybody",
  "secret-before-body": "the secret is looked at before the body",
  "new-secret": "a new secret has 65 characters, is shown once and opens REST at once",
  rotation: "after a rotation the new secret works and the old one is refused at once",
  "device-secret": "a device's secret is named cli@<hostname> and is revoked alone",
  "revoked-session": "a session begun with a secret stops at its next usage report once that is revoked",
  "runtime-token": "a runtime token is a JWT of some five minutes for the account: no agent, no session in it",
  "runtime-token-endpoints": "a runtime token makes no tokens and opens no other endpoint",
  "minted-hour": "minted and embed tokens last one hour",
  "minted-scope": "a scoped token starts its agent in its room at its server, once, and nothing else",
  "minted-download": "a token without scope downloads its agent's model as Bearer, and nothing else",
  "self-hosted-download": "the self-hosted download takes the secret as Bearer, too; no other read of an agent does",
  "exchange-free": "tokens cost nothing",
});

export const LIMIT_ROWS = rowsOf("limits", {
  "tier-members": "every route counts in the tier that the contract puts it in, or in none",
  "plan-rates": "each plan has its requests per minute of each tier",
  burst: "a bucket allows a burst of its size and refills continuously",
  shared: "all secrets of an account share its buckets",
  "never-runtime": "runtime-token routes are never limited",
  "failed-authentication": "30 failed authentications per minute and address",
  "self-checking": "routes that check the secret themselves allow 120 per minute and address, whatever the account",
  "plan-change": "a change of plan reaches the limiter within a minute",
  headers: "limited routes tell limit, rest and the time when full, on refusals too",
  "retry-after": "Retry-After comes with 429 and is honoured: after it a request passes",
  "request-id": "every answer has its own X-Request-Id",
  "idempotency-day": "an Idempotency-Key is kept for 24 hours",
});

export const CONVENTION_ROWS = rowsOf("conventions", {
  "envelope-success-data": "{success, data} where the contract says so",
  "envelope-status-data": "{status, status_code, data} where it says so",
  "envelope-bare": "a bare object where it says so",
  pagination: "{limit, offset, total, has_more} beside data",
  "unknown-fields": "unknown fields of a request are ignored",
  "null-is-absent": "a field that is null is a field that is absent",
  "agent-code": "an agent's code is a letter, two digits, three letters and four digits",
  timestamps: "times are ISO 8601 in UTC; Unix seconds are whole numbers",
  "download-json": "redirect=false, 0 or no gives JSON instead of the redirect",
  "deprecation-headers": "what ends says so in Deprecation and Sunset headers, 90 days ahead",
});
