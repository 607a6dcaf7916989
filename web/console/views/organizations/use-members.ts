// Members and open invitations of an organization.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { OrganizationMember } from "../../../../sdk/client/index.ts";
import { useOwnClient } from "../../data/use-own-client.ts";

export function useMembers(id: string): UseQueryResult<OrganizationMember[]> {
  const client = useOwnClient();
  return useQuery({
    queryKey: ["organizations", id, "members"],
    queryFn: async () => (await client.members.list(id)).items,
  });
}
