// Texts of the API secrets.
import { pluralIn } from "../plural.ts";

const plural = pluralIn("en");

export const secrets = {
  title: "API secrets",
  lead: "A program that calls this service sends one of these secrets. It can do all that your account can.",
  organizationLead:
    "A program that sends one of these secrets acts for the organization, and the member who made the secret pays.",
  make: "New secret",
  makeIt: "Make it",
  empty: "No secret is in use. Make one for each program, so that each can be revoked by itself.",
  inUse: (count: number) => `${plural(count, "secret", "secrets")} in use`,
  name: "Name",
  value: "Value",
  lastUse: "Last use",
  created: "Made",
  issuer: "Made by",
  you: "You",
  actions: "Action",
  never: "Not used",
  computer: "Computer",
  revoke: "Revoke",
  revokeOne: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeNote:
    "From now on it is refused, and so is every token that was made with it. Sessions that it started end at their next report, within seconds. Where someone signed in here with it, they are signed out. This cannot be undone.",
  revoked: (name: string) => `${name} is revoked.`,
  nameNote: "Say where it is used, for example laptop. Without a name it gets a random one.",
  nameProblem: "Letters, digits, spaces, dots, underscores, @ and hyphens; a letter or digit at both ends.",
  keepSuspended: "Sessions stay suspended",
  keepSuspendedNote: "After all sessions were revoked, a new secret allows sessions again, unless this is on.",
  madeTitle: (name: string) => `The secret ${name}`,
  madeNote: "This is the only time that it is shown. Copy it to where it is used.",
  resumed: "Sessions can be started again.",
  computers: "Computers",
  computersNote:
    "A computer that signs in by a code gets a secret of its own, which begins with cli@. Revoke it to sign the computer out.",
  signInComputer: "Sign in a computer",
  once: "Why a secret is shown once",
  onceNote:
    "The service keeps only a hash of it, so no one can read it again: get-value answers 403 here, too. If a secret is lost, make another one and revoke the lost one.",
  limits: "Limits of the plan",
  limitsNote: "They hold for all your secrets together.",
  plan: "Plan",
  readRequests: "Requests that read",
  writeRequests: "Requests that change something",
  generateRequests: "Requests that make or end something",
  perMinute: (count: string) => `${count} a minute`,
  concurrent: "Sessions at a time",
  agents: "Agents",
  unlimited: "no limit",
  suspended: "Sessions are suspended. A new secret allows them again.",
};
