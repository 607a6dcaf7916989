// What every view of the console can use: the person, the client, and the languages' texts.
import { createContext, useContext } from "react";
import type { Client } from "../../../sdk/client/index.ts";
import type { ConsoleViewName } from "../../../shared/console-views.ts";
import type { CreateDraft } from "../../create/create-draft.ts";
import type { Person } from "./console-access.ts";
import type { ConsoleClient } from "./console-client.ts";

export interface ConsoleContextValue {
  /** Address of the start page, with a slash at the end. */
  root: URL;
  person: Person;
  /** The views that the person can use here. */
  views: readonly ConsoleViewName[];
  /** Of the organization for which the person acts; null for none. */
  organizationId: string | null;
  setOrganization(id: string | null): void;
  /** Of the REST API. */
  client: Client;
  /** Of signing in. */
  consoleClient: ConsoleClient;
  /** What was begun in Create and not ordered: it waits in memory while the person is signed in. */
  draft: { current: CreateDraft | undefined };
}

export const ConsoleContext = createContext<ConsoleContextValue | null>(null);

/** For components below the signed-in console; throws TypeError elsewhere. */
export function useConsole(): ConsoleContextValue {
  const value = useContext(ConsoleContext);
  if (!value) throw new TypeError("no one is signed in here");
  return value;
}
