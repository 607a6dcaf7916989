// Endpoints that the contract has removed. They answer 410 to every caller and name their replacement.
import { ServiceError } from "../../../shared/errors.ts";
import { type Route, route } from "./route.ts";

export function retiredRoutes(): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/realtime/ephemeral-token",
      operation: "realtime.createEphemeralToken",
      tier: "address",
      auth: "none",
      summary: "Retired: start live sessions with POST /v1/runtime-tokens/request",
      tags: ["Retired"],
      deprecated: true,
      errors: ["ENDPOINT_RETIRED"],
      async handler() {
        throw new ServiceError(
          "ENDPOINT_RETIRED",
          "This endpoint was removed. Start live sessions with POST /v1/runtime-tokens/request.",
        );
      },
    }),
  ];
}
