// Paths of the form /v2/{user_id}/… name the caller's own account, or nothing that the caller may see.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Account } from "./account.ts";

/** Path parameters of such a route; extend it with what follows. */
export const ownAccountParams = z.object({ user_id: z.string() });

/** Throws FORBIDDEN unless `userId` is the caller's own, in whatever case. Says nothing of whether there is such an account. */
export function assertOwnAccount(account: Account, userId: string): void {
  if (userId.toLowerCase() === account.userId) return;
  throw new ServiceError("FORBIDDEN", "This path names another account. Use your own user_id.");
}
