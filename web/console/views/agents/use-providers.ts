// The account's own servers.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Provider } from "../../../../sdk/client/index.ts";
import { useConsole } from "../../data/console-context.ts";

/** A change of the list is a change of agents. */
export function useProviders(): UseQueryResult<Provider[]> {
  const { client, person } = useConsole();
  return useQuery({
    queryKey: ["agents", "providers"],
    queryFn: async ({ signal }) => (await client.providers.list(person.user_id, { signal })).items,
  });
}
