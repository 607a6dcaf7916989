// Wires realtime calls into the api: what relays ask, and the settling of calls without a relay.
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Authenticator } from "../kernel/http/create-app.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { createCallIds } from "./calls/call-id.ts";
import { CallSettler } from "./calls/call-settler.ts";
import { createCallSweep } from "./calls/call-sweep.ts";
import { connectRoute } from "./connect-route.ts";
import { modelRoutes } from "./model-routes.ts";
import { REALTIME_FIELDS } from "./realtime-fields.ts";
import { addRealtimeMetrics } from "./realtime-metrics.ts";
import { realtimeRoutes } from "./realtime-routes.ts";
import { REALTIME_POLICIES, type RealtimePolicies, type RealtimeServices } from "./realtime-services.ts";

export interface RealtimeModuleOptions extends Kernel {
  links: BillingLinks;
  authenticator: Authenticator;
  /** Default: `REALTIME_POLICIES`. */
  policies?: Partial<RealtimePolicies>;
}

export function createRealtimeModule(options: RealtimeModuleOptions): Module {
  const services: RealtimeServices = { ...options, policies: { ...REALTIME_POLICIES, ...options.policies } };
  const settler = new CallSettler(services);
  addRealtimeMetrics(services);
  return {
    routes: [
      ...realtimeRoutes(services, { ids: createCallIds(services.signingKey), settler }),
      ...modelRoutes(services),
      connectRoute(),
    ],
    fields: REALTIME_FIELDS,
    jobs: [],
    loops: [createCallSweep(services, settler)],
    close: () => settler.close(),
  };
}
