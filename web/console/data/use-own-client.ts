// The client for what belongs to the person and never to an organization.
import { useMemo } from "react";
import type { Client } from "../../../sdk/client/index.ts";
import { createApiClient } from "./api-client.ts";
import { useConsole } from "./console-context.ts";

/** A client that acts for the person, whatever organization they act for elsewhere. The service refuses changes by a
 *  person who has signed in with the secret of an organization. */
export function useOwnClient(): Client {
  const { root } = useConsole();
  return useMemo(() => createApiClient({ root, organizationId: null }), [root]);
}
