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
      summary: "Retired: open realtime calls at /v1/realtime",
      tags: ["Retired"],
      deprecated: true,
      errors: ["ENDPOINT_RETIRED"],
      async handler() {
        throw new ServiceError(
          "ENDPOINT_RETIRED",
          "This endpoint was removed. Use the realtime relay: a WebSocket at /v1/realtime, or POST /v1/realtime/connect for WebRTC.",
        );
      },
    }),
  ];
}
