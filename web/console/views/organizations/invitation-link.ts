// Invitations travel as links: the service sends no mail. The token is behind a #, so that no server's log has it.

const PATH = "console/organizations/invitation";

/** `root`: address of the start page, with a slash at the end. */
export function invitationLink(root: URL, token: string): string {
  return new URL(`${PATH}#${new URLSearchParams({ token })}`, root).href;
}

/** The token in a link, or in the part of an address behind its #, or a token itself. Empty if there is none. */
export function tokenOf(pasted: string): string {
  const text = pasted.trim();
  const [address, fragment] = text.split("#", 2);
  if (fragment !== undefined) return new URLSearchParams(fragment).get("token") ?? "";
  return /^[\w-]+$/.test(address) ? address : "";
}
