// Decides which network addresses this service may contact for a caller. Everything that connects to a caller's URL
// (downloads, webhooks, LiveKit servers, providers) checks it here, in the api and in the avatar worker, so that no
// caller can reach the machine's own network.
import { isIP } from "node:net";
import { ServiceError } from "../../shared/errors.ts";
import { OwnerSlots } from "../owner-slots.ts";
import {
  type AddressPolicy,
  createAddressRule,
  hostOf,
  portOf,
  privateAddressHint,
  withoutBrackets,
} from "./address-rules.ts";
import { createHostResolver, type ResolvedAddress, type ResolveHost, resolveWithSystem } from "./resolve-host.ts";

export interface GuardPolicy extends AddressPolicy {
  /** Default: the system's look-up for the names of `allowHosts`, and DNS for all others. Tests pass their own. */
  resolveHost?: ResolveHost;
  /** Name servers to ask, as `address` or `address:port`. Default: those of the system. */
  nameServers?: readonly string[];
}

/** Look-ups of one account at a time, while requests of it wait for them. */
const LOOKUPS_PER_OWNER = 2;

/** One policy, checked before and during every connection. */
export interface AddressGuard {
  /** Resolves `hostname` and returns its addresses, all of them allowed. `port` serves the `host:port` exceptions.
   *  Throws ServiceError VALIDATION_ERROR if any address is not public; rejects with the resolver's error if there is
   *  none. */
  resolve(hostname: string, port: number): Promise<ResolvedAddress[]>;
  /** As `resolve`, for a request of `owner`, an account, of whom two look-ups run at a time. Rejects with an Error
   *  after `timeoutMs`, the wait for those before it included. */
  resolveFor(owner: string, url: URL, timeoutMs: number): Promise<ResolvedAddress[]>;
  /** Parses a caller's URL. Throws VALIDATION_ERROR unless it is absolute, has one of `protocols` (like `https:`), no
   *  credentials, and a host that is not itself a private address. Names are not resolved: `resolve` does that. */
  parseUrl(text: string, protocols: readonly string[]): URL;
}

/** Makes a guard for a policy. */
export function createAddressGuard(policy: GuardPolicy = {}): AddressGuard {
  const resolveHost = policy.resolveHost ?? defaultResolver(policy);
  const isAllowed = createAddressRule(policy);
  const lookups = new OwnerSlots(LOOKUPS_PER_OWNER);

  const guard: AddressGuard = {
    async resolve(hostname, port) {
      const host = withoutBrackets(hostname);
      const family = isIP(host);
      // An address literal is not resolved, so it is checked here.
      const addresses = family === 0 ? await resolveHost(host) : [{ address: host, family }];
      if (addresses.length === 0) throw new Error(`no address for ${host}`);
      if (!addresses.every(({ address }) => isAllowed(host, port, address))) throw refusal(host, policy);
      return addresses;
    },

    async resolveFor(owner, url, timeoutMs) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const resolving = async () => {
        const leave = await lookups.enter(owner);
        try {
          timeout.throwIfAborted();
          return await guard.resolve(url.hostname, portOf(url));
        } finally {
          leave();
        }
      };
      return Promise.race([resolving(), rejectsWith(timeout)]);
    },

    parseUrl(text, protocols) {
      if (!URL.canParse(text)) throw new ServiceError("VALIDATION_ERROR", `Not a valid URL: ${text.slice(0, 200)}`);
      const url = new URL(text);
      const names = protocols.map((protocol) => protocol.slice(0, -1)).join(", ");
      if (!protocols.includes(url.protocol)) throw new ServiceError("VALIDATION_ERROR", `The URL must use ${names}`);
      if (url.username !== "" || url.password !== "") {
        throw new ServiceError("VALIDATION_ERROR", "The URL must not contain a user name or password");
      }
      const host = hostOf(url);
      if (host === "") throw new ServiceError("VALIDATION_ERROR", "The URL names no host");
      if (isIP(host) !== 0 && !isAllowed(host, portOf(url), host)) throw refusal(host, policy);
      return url;
    },
  };
  return guard;
}

function defaultResolver({ allowPrivate, allowHosts = [], nameServers: servers }: GuardPolicy): ResolveHost {
  // The operator's own names may be known to this machine alone.
  const ownNames = new Set(allowHosts.map((entry) => entry.toLowerCase().replace(/:\d+$/, "")));
  const resolveInDns = createHostResolver({ servers, asksSystemToo: allowPrivate && !servers });
  return (hostname) => (ownNames.has(hostname.toLowerCase()) ? resolveWithSystem(hostname) : resolveInDns(hostname));
}

function rejectsWith(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** The message names the host of the request, never the resolved address, which would reveal our network. */
function refusal(host: string, policy: AddressPolicy): ServiceError {
  const message = `The host ${host.slice(0, 253)} is not publicly reachable: private address`;
  return new ServiceError("VALIDATION_ERROR", message + privateAddressHint(policy));
}
