// Who is signed in, as the service answers it. Read by hand: nothing is shown before, and a library for one answer
// would be a twentieth of it.

export interface Person {
  signed_in: true;
  user_id: string;
  email: string;
  plan: string;
  organization_id: string | null;
  is_operator: boolean;
  /** Of the REST API, as `agents.list`: those of this installation that the session's cookie opens. */
  operations: string[];
}

interface Stranger {
  signed_in: false;
  issuer: string | null;
  /** The browser has the cookie of a session that has ended. */
  session_ended: boolean;
}

export type ConsoleAccess = Person | Stranger;

/** Throws TypeError for an answer of another form. */
export function toConsoleAccess(answer: Readonly<Record<string, unknown>>): ConsoleAccess {
  const fail = (name: string): never => {
    throw new TypeError(`the service's answer has no ${name} as it should be`);
  };
  const text = (name: string): string => {
    const value = answer[name];
    return typeof value === "string" ? value : fail(name);
  };
  const textOrNull = (name: string): string | null => (answer[name] === null ? null : text(name));
  const truth = (name: string): boolean => {
    const value = answer[name];
    return typeof value === "boolean" ? value : fail(name);
  };
  if (!truth("signed_in")) {
    return { signed_in: false, issuer: textOrNull("issuer"), session_ended: truth("session_ended") };
  }
  const { operations } = answer;
  const areTexts = (values: unknown): values is string[] =>
    Array.isArray(values) && values.every((value) => typeof value === "string");
  return {
    signed_in: true,
    user_id: text("user_id"),
    email: text("email"),
    plan: text("plan"),
    organization_id: textOrNull("organization_id"),
    is_operator: truth("is_operator"),
    operations: areTexts(operations) ? operations : fail("operations"),
  };
}
