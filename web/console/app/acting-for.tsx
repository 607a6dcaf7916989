// For whom the person acts: themselves, or one of their organizations.
import { type ReactElement, useEffect } from "react";
import { SelectField } from "../controls/select-field.tsx";
import { useConsole } from "../data/console-context.ts";
import { useOwnOrganizations } from "../data/use-own-organizations.ts";
import { useTexts } from "../texts/texts-context.ts";

const MYSELF = "";

/** Nothing for a person without organizations, and for one who has signed in with the secret of an organization. */
export function ActingFor(): ReactElement | null {
  const { shell } = useTexts();
  const { person, organizationId, setOrganization } = useConsole();
  const { data: organizations } = useOwnOrganizations();
  const isBound = person.organization_id !== null;
  const hasLeft =
    !isBound && organizationId !== null && organizations !== undefined && !organizations.some(isChosen(organizationId));
  useEffect(() => {
    // Everything would be refused.
    if (hasLeft) setOrganization(null);
  }, [hasLeft, setOrganization]);
  if (isBound || organizations === undefined || organizations.length === 0) return null;
  return (
    <SelectField
      choices={[
        { value: MYSELF, words: shell.myself },
        ...organizations.map(({ id, name }) => ({ value: id, words: name })),
      ]}
      label={shell.actsFor}
      onChange={(chosen) => setOrganization(chosen === MYSELF ? null : chosen)}
      value={organizationId ?? MYSELF}
    />
  );
}

const isChosen =
  (id: string) =>
  (organization: { id: string }): boolean =>
    organization.id === id;
