// Wires accounts into the api: authentication, secrets, credits and plans.
import type { ModelFamily } from "../../shared/models.ts";
import type { Authenticator } from "../kernel/http/create-app.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { ACCOUNT_FIELDS } from "./account-fields.ts";
import { accountRoutes } from "./account-routes.ts";
import type { AccountServices } from "./account-services.ts";
import { createAuthenticator, type IsMember, type IsPublicAgent } from "./authenticator.ts";
import { balanceRoutes } from "./credits/balance-routes.ts";
import { billingLinks } from "./credits/billing-links.ts";
import { addLedgerMetrics } from "./credits/ledger-metrics.ts";
import { ledgerRoutes } from "./credits/ledger-routes.ts";
import { createPlanRenewal } from "./plans/plan-renewal.ts";
import { createSecretGate } from "./secrets/secret-gate.ts";
import { secretRoutes } from "./secrets/secret-routes.ts";
import { consoleRoutes } from "./sign-in/console-routes.ts";
import { type ConsoleSessions, createConsoleSessions } from "./sign-in/console-sessions.ts";
import { createConsoleSweep } from "./sign-in/console-sweep.ts";
import { deviceRoutes } from "./sign-in/device-routes.ts";

export interface AccountsModuleOptions extends Kernel {
  /** Families that callers may request. */
  offeredModels: readonly ModelFamily[];
  /** Whether a relay takes realtime calls. */
  isRelayed: () => Promise<boolean>;
  isPublicAgent: IsPublicAgent;
  isMember: IsMember;
  /** Names of the operations of the API that the console's cookie opens; known once all modules are there. */
  consoleOperations: () => readonly string[];
}

export interface AccountsModule extends Module {
  services: AccountServices;
  authenticator: Authenticator;
  consoleSessions: ConsoleSessions;
}

export function createAccountsModule(options: AccountsModuleOptions): AccountsModule {
  const services: AccountServices = { ...options, links: billingLinks(options.config.http.publicUrl) };
  const gate = createSecretGate(services);
  const consoleSessions = createConsoleSessions(services);
  const { isPublicAgent, isMember, config } = options;
  addLedgerMetrics(services);
  return {
    services,
    consoleSessions,
    authenticator: createAuthenticator({
      ...services,
      gate,
      isPublicAgent,
      isMember,
      consoleSessions,
      publicUrl: config.http.publicUrl,
    }),
    routes: [
      ...accountRoutes(gate),
      ...balanceRoutes(services),
      ...ledgerRoutes(services),
      ...secretRoutes(services),
      ...deviceRoutes(services),
      ...consoleRoutes(services, consoleSessions, options.consoleOperations),
    ],
    fields: ACCOUNT_FIELDS,
    jobs: [],
    loops: [createPlanRenewal(services), createConsoleSweep(services)],
    close: async () => undefined,
  };
}
