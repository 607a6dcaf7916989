// The settings that decide which addresses callers' URLs may lead to.
import type { Config } from "../config.ts";
import type { GuardPolicy } from "./address-guard.ts";

type Settings = Pick<Config, "AVATAR_ALLOW_PRIVATE_ADDRESSES" | "AVATAR_DENIED_ADDRESSES" | "AVATAR_NAME_SERVERS">;

/** The policy of this process, without exceptions. */
export function guardPolicyOf(settings: Settings): GuardPolicy {
  return {
    allowPrivate: settings.AVATAR_ALLOW_PRIVATE_ADDRESSES,
    deniedRanges: settings.AVATAR_DENIED_ADDRESSES,
    nameServers: settings.AVATAR_NAME_SERVERS,
  };
}
