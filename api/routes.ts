// Every route of the api, in the order in which the document lists their tags.
import { accountRoutes } from "./accounts/account-routes.ts";
import { balanceRoutes } from "./accounts/credits/balance-routes.ts";
import { usageRoutes } from "./accounts/credits/usage-routes.ts";
import { secretRoutes } from "./accounts/secrets/secret-routes.ts";
import type { AgentsModule } from "./agents/agents-module.ts";
import { embedRoutes } from "./embed/embed-routes.ts";
import { uploadRoutes } from "./files/upload-routes.ts";
import type { Route } from "./kernel/http/route.ts";
import type { Services } from "./kernel/services.ts";
import { memberRoutes } from "./organizations/member-routes.ts";
import { createMembers } from "./organizations/members.ts";
import { createOrganizationAccess } from "./organizations/organization-access.ts";
import { organizationRoutes } from "./organizations/organization-routes.ts";
import { organizationSecretRoutes } from "./organizations/organization-secret-routes.ts";
import { createOrganizations } from "./organizations/organizations.ts";
import { pageRoutes } from "./pages/page-routes.ts";
import { avatarSessionRoutes } from "./sessions/avatar-session-routes.ts";
import type { AvatarSessions } from "./sessions/avatar-sessions.ts";
import { tokenRoutes } from "./sessions/launch/token-routes.ts";
import { sessionReportRoutes } from "./sessions/reports/session-report-routes.ts";
import { runtimeRoutes } from "./sessions/runtime/runtime-routes.ts";

/** All routes but those of the system itself (`http/system-routes.ts`), which describe these. */
export function createRoutes(services: Services, avatarSessions: AvatarSessions, agents: AgentsModule): Route[] {
  const access = createOrganizationAccess(services);
  return [
    ...accountRoutes(services),
    ...balanceRoutes(services),
    ...secretRoutes(services),
    ...usageRoutes(services),
    ...organizationRoutes(services, access, createOrganizations({ ...services, access })),
    ...memberRoutes(createMembers({ ...services, access })),
    ...organizationSecretRoutes(services, access),
    ...agents.routes,
    ...uploadRoutes(services),
    ...tokenRoutes(services, avatarSessions),
    ...avatarSessionRoutes(services, avatarSessions),
    ...sessionReportRoutes(services, avatarSessions),
    ...runtimeRoutes(services, avatarSessions),
    ...embedRoutes(services, avatarSessions),
    ...pageRoutes(services),
  ];
}
