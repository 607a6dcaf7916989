// Descriptions of the fields of organizations and their members.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const ORGANIZATION_FIELDS: FieldDescriptions = {
  slug: "Short name for URLs, unique among all",
  owner_user_id: "Account of the owner",
  "OrganizationMember.status": "Whether the person has joined",
  "MembersResendInviteResponse.status": "Whether the person has joined",
  joined_at: "When the person joined, in UTC; null before",
  invite_expires_at: "When the invitation expires, in UTC; null once it was accepted",
  "OrganizationMember.role": "What the member may do",
  "MembersResendInviteResponse.role": "What the member may do",
  "MembersUpdateRequest.role": "What the member may do from now on",
  "OrganizationsListOwnResponseOrganizations.role": "What the account may do in it",
  "MembersAcceptInviteRequest.token": "Token of the invitation",
  organization: "The organization",
  organizations: "The organizations",
  member: "The membership",
  members: "Members and those invited",
  member_id: "The member",
  usage: "Credits spent, member by member",
  total_credits_used: "Credits spent since the member joined",
  action: "What was done",
  actor_user_id: "Account that did it",
  actor_email: "E-mail address of the account that did it",
  "OrganizationsListEventsResponse.events": "What happened, newest first",
};
