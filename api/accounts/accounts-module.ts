// Wires accounts into the api: authentication, secrets, credits and plans.
import type { ModelFamily } from "../../shared/models.ts";
import type { Authenticator } from "../kernel/http/create-app.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { ACCOUNT_FIELDS } from "./account-fields.ts";
import { accountRoutes } from "./account-routes.ts";
import type { AccountServices } from "./account-services.ts";
import { createAuthenticator, type IsPublicAgent } from "./authenticator.ts";
import { balanceRoutes } from "./credits/balance-routes.ts";
import { billingLinks } from "./credits/billing-links.ts";
import { addLedgerMetrics } from "./credits/ledger-metrics.ts";
import { createPlanRenewal } from "./plans/plan-renewal.ts";
import { createSecretGate } from "./secrets/secret-gate.ts";
import { secretRoutes } from "./secrets/secret-routes.ts";

export interface AccountsModuleOptions extends Kernel {
  /** Families that callers may request. */
  offeredModels: readonly ModelFamily[];
  /** Whether a relay takes realtime calls. */
  isRelayed: () => Promise<boolean>;
  isPublicAgent: IsPublicAgent;
}

export interface AccountsModule extends Module {
  services: AccountServices;
  authenticator: Authenticator;
}

export function createAccountsModule(options: AccountsModuleOptions): AccountsModule {
  const services: AccountServices = { ...options, links: billingLinks(options.config.http.publicUrl) };
  const gate = createSecretGate(services);
  addLedgerMetrics(services);
  return {
    services,
    authenticator: createAuthenticator({ ...services, gate, isPublicAgent: options.isPublicAgent }),
    routes: [...accountRoutes(gate), ...balanceRoutes(services), ...secretRoutes(services)],
    fields: ACCOUNT_FIELDS,
    jobs: [],
    loops: [createPlanRenewal(services)],
    close: async () => undefined,
  };
}
