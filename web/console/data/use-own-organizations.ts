// The organizations of the person, with their role in each.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { OwnOrganization } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";
import { useOwnClient } from "./use-own-client.ts";

/** Oldest first. On installations without organizations nothing is asked. */
export function useOwnOrganizations(): UseQueryResult<OwnOrganization[]> {
  const { person } = useConsole();
  const client = useOwnClient();
  return useQuery({
    queryKey: ["organizations", "own"],
    queryFn: async () => (await client.organizations.listOwn(person.user_id)).items,
    enabled: person.operations.includes("organizations.listOwn"),
  });
}
