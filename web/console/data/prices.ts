// What things cost, and what the person has.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { CreditSummary, Pricing } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";

export function usePricing(): UseQueryResult<Pricing> {
  const { client } = useConsole();
  return useQuery({ queryKey: ["pricing"], queryFn: ({ signal }) => client.pricing.get({ signal }) });
}

export function useCredits(): UseQueryResult<CreditSummary> {
  const { client } = useConsole();
  return useQuery({ queryKey: ["credits", "summary"], queryFn: ({ signal }) => client.credits.summarize({ signal }) });
}
