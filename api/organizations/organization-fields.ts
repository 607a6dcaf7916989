// Descriptions of the fields of organizations and their members.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const ORGANIZATION_FIELDS: FieldDescriptions = {
  slug: "Short name for URLs, unique among all organizations",
  owner_user_id: "Account of the owner",
  "OrganizationMember.status": "Whether the person has joined",
  "MembersResendInviteResponse.status": "Whether the person has joined",
  joined_at: "When the person joined, in UTC; null until then",
  invite_expires_at: "When the invitation expires, in UTC; null once it was accepted",
  "OrganizationMember.role": "Role of the member",
  "MembersResendInviteResponse.role": "Role of the member",
  "MembersUpdateRequest.role": "New role of the member",
  "OwnOrganization.role": "Role of the account in the organization",
  "MembersAcceptInviteRequest.token": "Token of the invitation",
  organization: "The organization",
  organizations: "The organizations",
  member: "The membership",
  members: "Members and open invitations",
  member_id: "Id of the member",
  usage: "Credits spent by each member",
  total_credits_used: "Credits spent since the member joined",
  action: "The recorded action",
  actor_user_id: "Account that took the action",
  actor_email: "E-mail address of the account that took the action",
  "OrganizationsListEventsResponse.events": "Recorded events, newest first",
};
