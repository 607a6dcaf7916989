// Every route of the api, in the order in which the document lists their tags.
import { accountRoutes } from "./accounts/account-routes.ts";
import { balanceRoutes } from "./accounts/balance-routes.ts";
import { secretRoutes } from "./accounts/secret-routes.ts";
import { usageRoutes } from "./accounts/usage-routes.ts";
import type { AgentsModule } from "./agents/agents-module.ts";
import { avatarSessionRoutes } from "./avatar-sessions/avatar-session-routes.ts";
import type { AvatarSessions } from "./avatar-sessions/avatar-sessions.ts";
import { sessionReportRoutes } from "./avatar-sessions/session-report-routes.ts";
import { embedRoutes } from "./embed/embed-routes.ts";
import { pageRoutes } from "./embed/page-routes.ts";
import { uploadRoutes } from "./files/upload-routes.ts";
import type { Route } from "./http/route.ts";
import { memberRoutes } from "./organizations/member-routes.ts";
import { createMembers } from "./organizations/members.ts";
import { createOrganizationAccess } from "./organizations/organization-access.ts";
import { organizationRoutes } from "./organizations/organization-routes.ts";
import { organizationSecretRoutes } from "./organizations/organization-secret-routes.ts";
import { createOrganizations } from "./organizations/organizations.ts";
import { runtimeRoutes } from "./runtime/runtime-routes.ts";
import type { Services } from "./services.ts";
import { tokenRoutes } from "./tokens/token-routes.ts";

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
