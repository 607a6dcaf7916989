// Signs in a program on a computer without a browser (RFC 8628): it shows a code, a person confirms the code in the
// console, and the program gets an API secret of its own.
import { randomInt } from "node:crypto";
import { ServiceError } from "../../../shared/errors.ts";
import type { Database } from "../../kernel/database/database.ts";
import type { Account } from "../account.ts";
import { findAccount } from "../account-store.ts";
import { issueSecret, MAX_ALIAS_CHARACTERS } from "../secrets/issue-secret.ts";
import { findAlias } from "../secrets/secret-store.ts";
import { createRandomValue, hashRandomValue } from "./random-value.ts";

export const DEVICE_CODE_SECONDS = 600;
/** Seconds between two questions of the program. */
export const DEVICE_INTERVAL_SECONDS = 5;
/** Consonants, so that no code is a word; none looks like another. Source: RFC 8628, 6.1. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LETTERS_PER_HALF = 4;
const MAX_NUMBER = 99;
const ALIAS_PREFIX = "cli@";
const MAX_HOST_CHARACTERS = MAX_ALIAS_CHARACTERS - ALIAS_PREFIX.length;

export interface DeviceCode {
  /** The program's own; the database holds its hash. */
  deviceCode: string;
  /** The one that a person reads: `BCDF-GHJK`. */
  userCode: string;
}

/** A program that waits for a person's decision. */
export interface WaitingDevice {
  userCode: string;
  /** As the computer named itself. */
  host: string;
  /** Where the program asked from. */
  address: string;
  createdAt: Date;
}

export type DeviceResult =
  | { status: "pending" }
  | { status: "complete"; account: Account; alias: string; secret: string };

interface Issue {
  userId: string;
  host: string;
  /** Alias of the computer's former secret. */
  replaces: string | null;
  at: Date;
}

/** `now`: milliseconds since the epoch. */
export function createDeviceCodes({ database, now }: { database: Database; now: () => number }) {
  return {
    /** Begins a sign-in. `host` may be any text; what is kept of it can be part of an alias. */
    async begin({ host, address }: { host: string; address: string }): Promise<DeviceCode> {
      const at = new Date(now());
      await database.deleteFrom("device_codes").where("expires_at", "<=", at).execute();
      for (;;) {
        const code = { deviceCode: createRandomValue(), userCode: createUserCode() };
        const { numInsertedOrUpdatedRows = 0n } = await database
          .insertInto("device_codes")
          .values({
            device_sha256: hashRandomValue(code.deviceCode),
            user_code: code.userCode,
            host: readHost(host),
            address,
            created_at: at,
            expires_at: new Date(at.getTime() + DEVICE_CODE_SECONDS * 1000),
            user_id: null,
          })
          .onConflict((conflict) => conflict.column("user_code").doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows > 0n) return code;
      }
    },

    /** The program that shows this code. Throws NOT_FOUND if none does, the code has expired or was decided on. */
    async find(typed: string): Promise<WaitingDevice> {
      const row = await database
        .selectFrom("device_codes")
        .selectAll()
        .where("user_code", "=", normalise(typed))
        .where("expires_at", ">", new Date(now()))
        .where("user_id", "is", null)
        .executeTakeFirst();
      if (!row) throw unknownCode();
      return { userCode: row.user_code, host: row.host, address: row.address, createdAt: row.created_at };
    },

    /** Confirms or denies a code for an account. Throws NOT_FOUND as `find` does. */
    async decide(typed: string, { userId, isDenied }: { userId: string; isDenied: boolean }): Promise<void> {
      const { numUpdatedRows } = await database
        .updateTable("device_codes")
        .set({ user_id: userId, is_denied: isDenied })
        .where("user_code", "=", normalise(typed))
        .where("expires_at", ">", new Date(now()))
        .where("user_id", "is", null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw unknownCode();
    },

    /** What has become of a sign-in. A confirmed one yields a new secret once; the code is then used up. `former`: the
     *  secret that the same computer got before, which is revoked if it is the account's. Throws VALIDATION_ERROR for a
     *  code that is unknown, used or expired, and FORBIDDEN for a denied one. */
    async redeem(deviceCode: string, former?: string): Promise<DeviceResult> {
      const at = new Date(now());
      const hashed = hashRandomValue(deviceCode);
      const row = await database
        .selectFrom("device_codes")
        .select(["user_id", "host", "is_denied"])
        .where("device_sha256", "=", hashed)
        .where("expires_at", ">", at)
        .executeTakeFirst();
      if (!row) throw expiredCode();
      if (row.user_id === null) return { status: "pending" };
      const deleted = await database.deleteFrom("device_codes").where("device_sha256", "=", hashed).executeTakeFirst();
      // Another request with the same code was faster.
      if (deleted.numDeletedRows === 0n) throw expiredCode();
      if (row.is_denied) throw new ServiceError("FORBIDDEN", "The sign-in was refused in the console");
      const account = await findAccount(database, row.user_id);
      if (!account) throw expiredCode();
      const { userId } = account;
      const replaces = former === undefined ? null : await findAlias(database, userId, former);
      // Secrets that are not a computer's are never revoked here.
      const isComputers = replaces?.startsWith(ALIAS_PREFIX) ?? false;
      const issued = await issueFor({ userId, host: row.host, replaces: isComputers ? replaces : null, at });
      return { status: "complete", account, ...issued };
    },
  };

  /** A secret for a computer: `cli@desk`, then `cli@desk-2`, because computers of one name are not always the same. */
  async function issueFor({ userId, host, replaces, at }: Issue): Promise<{ alias: string; secret: string }> {
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? "" : `-${number}`;
      const alias = (ALIAS_PREFIX + host).slice(0, MAX_ALIAS_CHARACTERS - suffix.length) + suffix;
      const order = { userId, alias, keepsRuntimeSuspended: true, replaces: replaces ?? undefined, now: at };
      try {
        const { secret } = await issueSecret(database, order);
        return { alias, secret };
      } catch (error) {
        const isTaken = error instanceof ServiceError && error.code === "CONFLICT";
        if (!isTaken || number === MAX_NUMBER) throw error;
      }
    }
  }
}

function createUserCode(): string {
  const half = () => Array.from({ length: LETTERS_PER_HALF }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return `${half()}-${half()}`;
}

/** A code as it was typed, in the form in which it is stored. */
function normalise(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, "");
  return `${letters.slice(0, LETTERS_PER_HALF)}-${letters.slice(LETTERS_PER_HALF)}`;
}

/** What an alias can hold of a computer's name. */
function readHost(name: string): string {
  const host = name.replace(/[^A-Za-z0-9._-]/g, "").slice(0, MAX_HOST_CHARACTERS);
  return host.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "") || "computer";
}

function unknownCode(): ServiceError {
  return new ServiceError("NOT_FOUND", "No program waits with this code. Codes work for ten minutes, once.");
}

function expiredCode(): ServiceError {
  return new ServiceError(
    "VALIDATION_ERROR",
    "The device code is unknown, used or expired. Begin again with POST /v1/cli/device.",
  );
}
