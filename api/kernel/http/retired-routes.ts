// Endpoints that the contract has removed: they answer what replaces them, whoever asks.
import { ServiceError } from "../../../shared/errors.ts";
import { type Route, route } from "./route.ts";

export function retiredRoutes(): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/realtime/ephemeral-token",
      tier: "address",
      auth: "none",
      summary: "Retired: connect to the real-time relay instead",
      tags: ["Retired"],
      deprecated: true,
      errors: ["ENDPOINT_RETIRED"],
      async handler() {
        throw new ServiceError("ENDPOINT_RETIRED", "This endpoint was removed. Use the real-time relay, /v1/realtime.");
      },
    }),
  ];
}
