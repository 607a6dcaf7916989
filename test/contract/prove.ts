// Runs the proofs of a section of the contract, checks that every row has one, and prints which test covers which row.
import type { Test } from "tap";
import type { ErrorCode } from "../../shared/errors.ts";
import type { TestAnswer } from "../helpers/service/with-api.ts";
import type { ContractRow } from "./rows.ts";

export interface Proof {
  /** Ids of the rows that it proves. */
  rows: readonly string[];
  /** The rule, as a sentence. */
  title: string;
  prove(t: Test): Promise<void>;
}

export interface Section {
  /** First part of its rows' ids. */
  name: string;
  rows: readonly ContractRow[];
  proofs: readonly Proof[];
  /** Routes that exist, as `post /v1/…`. */
  routes: ReadonlySet<string>;
}

/** Proves a section: a subtest of `t` for each proof, one for the table. */
export async function proveSection(t: Test, { name, rows, proofs, routes }: Section): Promise<void> {
  const passed = new Map<Proof, boolean>();
  for (const proof of proofs) {
    await t.test(proof.title, async (t) => {
      await proof.prove(t);
      passed.set(proof, t.passing());
    });
  }
  await t.test(`every row of the section ${name} has a proof`, async (t) => {
    const width = Math.max(...rows.map(({ id }) => id.length));
    for (const row of rows) {
      const own = proofs.filter((proof) => proof.rows.includes(row.id));
      const isWaiting = own.length === 0 && row.awaits !== undefined && !routes.has(row.awaits);
      const standing = isWaiting ? "wait" : own.length > 0 && own.every((proof) => passed.get(proof)) ? "ok" : "FAIL";
      const by = isWaiting ? `(needs ${row.awaits})` : own.map(({ title }) => title).join("; ") || "(no proof)";
      t.comment(`${standing.padEnd(4)}  ${row.id.padEnd(width)}  ${row.says}  <-  ${by}`);
      t.ok(isWaiting || own.length > 0, `${row.id} has a proof or waits for its route`);
    }
    const known = new Set(rows.map(({ id }) => id));
    t.same(
      proofs.flatMap((proof) => proof.rows).filter((id) => !known.has(id)),
      [],
      "no proof is of a row that does not exist",
    );
    t.equal(known.size, rows.length, "no row is listed twice");
  });
}

export interface ExpectedError {
  status: number;
  code: ErrorCode;
  message?: RegExp;
  /** The link that clients follow; all others must be absent. */
  link?: "upgrade_url" | "topup_url";
  /** Whether `Retry-After` is required. */
  retryAfter?: boolean;
}

/** Checks status, the whole envelope, links and headers of a refusal. */
export function expectError(t: Test, answer: TestAnswer, expected: ExpectedError, title: string): void {
  const { status, code, message = /\S/, link, retryAfter = false } = expected;
  t.equal(answer.status, status, `${title}: status`);
  t.match(answer.headers.get("content-type"), /^application\/json/, `${title}: JSON`);
  t.match(
    answer.body,
    { error: { code, httpStatus: status, message }, status: "error", status_code: status },
    `${title}: envelope`,
  );
  t.same(Object.keys(answer.body ?? {}).sort(), ["error", "status", "status_code"], `${title}: nothing beside it`);
  for (const name of ["upgrade_url", "topup_url"]) {
    const value = answer.body?.error?.[name];
    if (name === link) t.match(value, /^https?:\/\/\S+$/, `${title}: ${name} is an absolute URL`);
    else t.equal(value, undefined, `${title}: no ${name}`);
  }
  if (retryAfter) t.match(answer.headers.get("retry-after"), /^[1-9]\d*$/, `${title}: Retry-After`);
  t.match(answer.headers.get("x-request-id"), /^[0-9a-f-]{36}$/, `${title}: X-Request-Id`);
}

/** The routes of an OpenAPI document, as `post /v1/…`. */
export function routesOf(document: { paths?: Record<string, object> }): ReadonlySet<string> {
  const paths = Object.entries(document.paths ?? {});
  return new Set(paths.flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`)));
}
