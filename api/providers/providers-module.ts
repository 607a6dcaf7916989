// Wires providers into the api.
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { createTextSeal } from "../kernel/tokens/sealed-text.ts";
import { PROVIDER_FIELDS } from "./provider-fields.ts";
import { providerRoutes } from "./provider-routes.ts";
import type { ProviderServices } from "./provider-services.ts";

export interface ProvidersModule extends Module {
  services: ProviderServices;
}

export function createProvidersModule({ database, signingKey, outgoing, logger, now }: Kernel): ProvidersModule {
  const services: ProviderServices = {
    database,
    seal: createTextSeal(signingKey, "provider-secrets"),
    guard: outgoing.guard,
    logger: logger.child({ part: "providers" }),
    now,
  };
  return {
    services,
    routes: providerRoutes(services),
    fields: PROVIDER_FIELDS,
    jobs: [],
    loops: [],
    close: async () => undefined,
  };
}
