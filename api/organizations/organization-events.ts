// Domain events of organizations.

interface OrganizationDeleted {
  organizationId: string;
  at: Date;
}

interface OrganizationMemberRemoved extends OrganizationDeleted {
  /** Account of the former member, who was removed or has left. */
  userId: string;
}

declare module "../kernel/events/events.ts" {
  interface DomainEvents {
    /** An account is no longer a member. Not published for each member when the organization is deleted. */
    "organization.member_removed": OrganizationMemberRemoved;
    /** The organization was deleted, and with it all memberships. */
    "organization.deleted": OrganizationDeleted;
  }
}
