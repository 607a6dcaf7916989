// Paths of the form /v2/{user_id}/… must name the caller's own account.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "./account.ts";

/** Path parameters of a route of this kind; extend it with the others of the path. */
export const ownAccountParams = z.object({ user_id: z.string() });

/** Throws FORBIDDEN unless `userId` is the caller's own, ignoring case. The error does not tell whether the account
 *  exists. */
export function assertOwnAccount(account: Account, userId: string): void {
  if (userId.toLowerCase() === account.userId) return;
  throw new ServiceError("FORBIDDEN", "This path names another account. Use your own user_id.");
}
