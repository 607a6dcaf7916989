// What a role lets a person do in an organization.
import type { OwnOrganization } from "../../../../sdk/client/index.ts";
import type { Person } from "../../data/console-access.ts";

export interface Rights {
  /** Of the roles, that of the person. */
  role: OwnOrganization["role"];
  /** Whether usage and the audit log are answered. */
  mayInspect: boolean;
  /** Whether members, invitations and the name may be changed. */
  mayManage: boolean;
  /** Whether it may be transferred and deleted. */
  isOwner: boolean;
  /** Whether anything may be changed: not with the secret of an organization. */
  mayChange: boolean;
}

export function rightsOf(role: OwnOrganization["role"], { organization_id: boundTo }: Person): Rights {
  const mayChange = boundTo === null;
  const mayInspect = role !== "member";
  return { role, mayChange, mayInspect, mayManage: mayChange && mayInspect, isOwner: mayChange && role === "owner" };
}
