// The gestures that were made for one agent.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Dynamics } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";

export function useDynamics(code: string): UseQueryResult<Dynamics> {
  const { client } = useConsole();
  return useQuery({ queryKey: ["dynamics", code], queryFn: ({ signal }) => client.dynamics.get(code, { signal }) });
}

/** Whether gestures are being made. */
export function isMaking({ status }: Dynamics): boolean {
  return status === "processing" || status === "generating";
}
