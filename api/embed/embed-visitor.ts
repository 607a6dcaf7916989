// Who a request of the embed page speaks for. An embed token names its visitor, or it is shared (those of `/demo` and
// of public agents are): then the tab's random id stands for the visitor, and the page's address may give a name that
// nothing proves.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { EmbedCaller } from "../accounts/caller.ts";

/** 16 random bytes or more in hex. */
const TAB_ID_MIN_CHARACTERS = 32;

/** The random id of a browser tab. */
export const tabId = z.string().min(TAB_ID_MIN_CHARACTERS).max(100);

/** Fields of a request that say who the visitor of a shared token is. */
export const visitorFields = {
  end_user_id: z.string().max(200).nullish(),
  tab_id: tabId.nullish(),
};

export interface EmbedVisitor {
  /** The visitor's room follows it: the session of the token, or the tab of a shared token. It opens that room, so it
   *  is never a name. */
  seat: string;
  /** The end user's id for the account's model and reports; null if no one gave any. */
  endUserId: string | null;
  /** What per-visitor limits count. */
  limitKey: string;
  /** Whether the token names the visitor. Only then may the avatar remember them. */
  isProven: boolean;
}

/** The visitor of a request. Throws MISSING_PARAM if a shared token comes without a tab. */
export function visitorOf(
  caller: EmbedCaller,
  { end_user_id: named, tab_id: id }: z.output<z.ZodObject<typeof visitorFields>>,
): EmbedVisitor {
  const { sid, endUserId, isDemo } = caller;
  if (endUserId !== null) return { seat: sid, endUserId, limitKey: endUserId, isProven: true };
  // Each token of the demo is for one tab.
  const tab = id ? `tab ${id}` : isDemo ? sid : null;
  if (tab === null)
    throw new ServiceError("MISSING_PARAM", "Required parameter missing: tab_id (this token is shared)");
  const name = named || null;
  return { seat: tab, endUserId: name, limitKey: `shared ${name ?? tab}`, isProven: false };
}
