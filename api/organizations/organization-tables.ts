// Tables of organizations, as created by migration 0008.
import type { Generated } from "kysely";
import type { OrganizationRole } from "./organization.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    organizations: {
      id: Generated<string>;
      name: string;
      slug: string;
      created_at: Date;
      deleted_at: Date | null;
    };
    organization_members: {
      id: Generated<string>;
      organization_id: string;
      email: string;
      role: OrganizationRole;
      /** Null until the invitation is accepted. */
      user_id: string | null;
      invite_sha256: Buffer | null;
      invite_expires_at: Date | null;
      created_at: Date;
      joined_at: Date | null;
    };
    organization_events: {
      id: Generated<number>;
      organization_id: string;
      actor_user_id: string;
      action: string;
      target: string;
      created_at: Date;
    };
  }
}
