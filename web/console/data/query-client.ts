// Keeps the service's answers, and asks again when they are old.
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, ConnectionError } from "../../../sdk/client/index.ts";

/** A view that opens asks again only for answers that are older. The stream of changes tells what is new. */
const FRESH_MS = 10_000;
const RETRIES = 2;

/** `onSignedOut` is called when an answer says that the session has ended. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.httpStatus === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The client retries what the service asks to retry. What is left is a service that is not reached.
        retry: (failures, error) => error instanceof ConnectionError && failures < RETRIES,
        // The browser's own idea of being online is wrong for a service on this machine.
        networkMode: "always",
      },
      mutations: { networkMode: "always", onError },
    },
  });
}
