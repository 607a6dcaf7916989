// Wires organizations into the api.

import type { AccountServices } from "../accounts/account-services.ts";
import type { Module } from "../kernel/module.ts";
import { memberRoutes } from "./member-routes.ts";
import { createMembers } from "./members.ts";
import { createOrganizationAccess } from "./organization-access.ts";
import { ORGANIZATION_FIELDS } from "./organization-fields.ts";
import { organizationRoutes } from "./organization-routes.ts";
import { organizationSecretRoutes } from "./organization-secret-routes.ts";
import { createOrganizations } from "./organizations.ts";

export function createOrganizationsModule(services: AccountServices): Module {
  const access = createOrganizationAccess(services);
  return {
    routes: [
      ...organizationRoutes(services, access, createOrganizations({ ...services, access })),
      ...memberRoutes(createMembers({ ...services, access })),
      ...organizationSecretRoutes(services, access),
    ],
    fields: ORGANIZATION_FIELDS,
    jobs: [],
    loops: [],
    close: async () => undefined,
  };
}
