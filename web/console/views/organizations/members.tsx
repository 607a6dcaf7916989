// Members and open invitations of an organization.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { useLocation } from "wouter";
import type { OrganizationMember, OwnOrganization } from "../../../../sdk/client/index.ts";
import { Badge } from "../../controls/badge.tsx";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { type HeldSecret, SecretDialog } from "../../controls/secret-dialog.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { InvitationForm } from "./invitation-form.tsx";
import { invitationLink } from "./invitation-link.ts";
import type { Rights } from "./rights.ts";
import { useMembers } from "./use-members.ts";

export interface MembersProps {
  organization: OwnOrganization;
  rights: Rights;
}

export function Members({ organization, rights }: MembersProps): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const { person, root, organizationId, setOrganization } = useConsole();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { id, max_members: seats } = organization;
  const members = useMembers(id);
  const [link, setLink] = useState<HeldSecret>();
  const [removed, setRemoved] = useState<OrganizationMember>();
  const reload = () => queries.invalidateQueries({ queryKey: ["organizations"] });
  const showLink = async (token: string) => {
    setLink({ value: invitationLink(root, token) });
    await reload();
  };
  const setRole = useAction(async (member: OrganizationMember, role: "admin" | "member") => {
    await client.members.update(id, member.id, { role });
    await reload();
  });
  const resend = useAction(async (member: OrganizationMember) => {
    await showLink((await client.members.resendInvite(id, member.id)).invite_token);
  });
  const isOneself = removed?.user_id === person.user_id;
  return (
    <Panel title={texts.members}>
      <Problem error={setRole.error ?? resend.error} />
      <p className="fine" role="status">
        {setRole.isDone ? texts.roleChanged : ""}
      </p>
      <QueryResult query={members}>
        {(list) => (
          <>
            <p className="fine">{texts.seats(list.length, seats)}</p>
            <ul className="rows">
              {list.map((member) => (
                <MemberRow
                  key={member.id}
                  member={member}
                  onRemove={() => setRemoved(member)}
                  onResend={() => void resend.run(member)}
                  onRole={(role) => void setRole.run(member, role)}
                  rights={rights}
                />
              ))}
            </ul>
          </>
        )}
      </QueryResult>
      {rights.mayManage && <InvitationForm id={id} onInvited={showLink} />}
      <SecretDialog
        label={texts.link}
        onClose={() => setLink(undefined)}
        secret={link}
        title={texts.linkTitle}
        words={texts.linkNote}
      />
      <ConfirmDialog
        action={isOneself ? texts.leave : removed?.status === "invited" ? texts.withdraw : texts.remove}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        onConfirm={async () => {
          await client.members.remove(id, removed?.id ?? "");
          if (isOneself && organizationId === id) setOrganization(null);
          if (isOneself) navigate("/");
          await reload();
        }}
        title={isOneself ? texts.leave : (removed?.email ?? "")}
        words={isOneself ? texts.leaveNote : removed?.status === "invited" ? texts.withdrawNote : texts.removeNote}
      />
    </Panel>
  );
}

interface MemberRowProps {
  member: OrganizationMember;
  rights: Rights;
  onRole(role: "admin" | "member"): void;
  onResend(): void;
  onRemove(): void;
}

function MemberRow({ member, rights, onRole, onResend, onRemove }: MemberRowProps): ReactElement {
  const { organizations: texts } = useTexts();
  const { person } = useConsole();
  const formats = useFormats();
  const { email, role, status, joined_at: joinedAt, invite_expires_at: expiresAt } = member;
  const isOneself = member.user_id === person.user_id;
  const isInvited = status === "invited";
  const isExpired = expiresAt !== null && new Date(expiresAt).getTime() < Date.now();
  const changeable = rights.mayManage && role !== "owner" ? role : undefined;
  return (
    <li>
      <div>
        <bdi>{email}</bdi>{" "}
        {isInvited && <Badge tone={isExpired ? "wrong" : "busy"} words={isExpired ? texts.expired : texts.invited} />}{" "}
        {!changeable && <Badge tone="quiet" words={texts.roles[role]} />} {isOneself && texts.you}
        <p className="fine">
          {isInvited && expiresAt !== null && texts.expires(formats.time(expiresAt))}
          {joinedAt !== null && texts.joined(formats.day(joinedAt))}
        </p>
      </div>
      <div className="row member-actions">
        {changeable && (
          <SelectField
            choices={(["member", "admin"] as const).map((value) => ({ value, words: texts.roles[value] }))}
            label={texts.roleOf(email)}
            onChange={(next) => onRole(next)}
            value={changeable}
          />
        )}
        {changeable && isInvited && (
          <Button aria-label={texts.resendTo(email)} onPress={onResend}>
            {texts.resend}
          </Button>
        )}
        {(changeable || (isOneself && rights.mayChange && role !== "owner")) && (
          <Button
            aria-label={isOneself ? texts.leave : isInvited ? texts.withdrawOf(email) : texts.removeOf(email)}
            onPress={onRemove}
          >
            {isOneself ? texts.leave : isInvited ? texts.withdraw : texts.remove}
          </Button>
        )}
      </div>
    </li>
  );
}
