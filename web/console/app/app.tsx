// The whole console: first who it is, then their views. The languages' texts are around everything.
import { type QueryClient, QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { I18nProvider } from "react-aria-components";
import { Router } from "wouter";
import type { CreateDraft } from "../../create/create-draft.ts";
import { createApiClient } from "../data/api-client.ts";
import type { ConsoleAccess, Person } from "../data/console-access.ts";
import { ConsoleClient } from "../data/console-client.ts";
import { ConsoleContext } from "../data/console-context.ts";
import { createQueryClient } from "../data/query-client.ts";
import { useChanges } from "../data/use-changes.ts";
import type { Arrival } from "../sign-in/arrival.ts";
import { Gate } from "../sign-in/gate.tsx";
import { keepLanguage, type Language } from "../texts/languages.ts";
import { loadTexts } from "../texts/load-texts.ts";
import { type Spoken, TextsContext, useTexts } from "../texts/texts-context.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { keepOrganization, keptOrganization } from "./kept-organization.ts";
import { Shell } from "./shell.tsx";
import { viewsOf } from "./views.ts";

export interface AppProps {
  /** How the person has come. */
  arrival: Arrival;
  /** Who is signed in, if that was asked already. */
  early: Promise<ConsoleAccess> | undefined;
  /** The language to begin with. */
  first: Spoken;
  /** Address of the start page, with a slash at the end. */
  root: URL;
}

export function App({ arrival, early, first, root }: AppProps): ReactElement {
  const [spoken, setSpoken] = useState(first);
  const setLanguage = useCallback((language: Language) => {
    keepLanguage(language, () => localStorage);
    // Offline, the former language stays.
    void loadTexts(language)
      .then((texts) => setSpoken({ language, texts }))
      .catch(() => undefined);
  }, []);
  useEffect(() => {
    document.documentElement.lang = spoken.language;
  }, [spoken.language]);
  const queries = useMemo(() => {
    const client = createQueryClient(() => void client.invalidateQueries({ queryKey: ["access"] }));
    return client;
  }, []);
  return (
    <TextsContext value={{ ...spoken, setLanguage }}>
      <I18nProvider locale={spoken.language}>
        <ErrorBoundary texts={spoken.texts.shell}>
          <QueryClientProvider client={queries}>
            <Router base={new URL("console", root).pathname}>
              <Access arrival={arrival} early={early} root={root} />
            </Router>
          </QueryClientProvider>
        </ErrorBoundary>
      </I18nProvider>
    </TextsContext>
  );
}

/** What belongs to one owner must not be shown as another's. */
function removeAnswers(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "access" });
}

/** Asks who is signed in, and shows the way in or the views. */
function Access({ arrival, early, root }: Pick<AppProps, "arrival" | "early" | "root">): ReactElement {
  const consoleClient = useMemo(() => new ConsoleClient(root), [root]);
  const queries = useQueryClient();
  // What signs in is used up first.
  const [hasArrived, setArrived] = useState(arrival.kind === "open" || arrival.kind === "device");
  /** Of a computer that asks for a secret; null for none. */
  const [code, setCode] = useState(arrival.kind === "device" ? arrival.code : null);
  const asked = useRef(early);
  const access = useQuery({
    queryKey: ["access"],
    queryFn: () => {
      const answer = asked.current ?? consoleClient.access();
      asked.current = undefined;
      return answer;
    },
    enabled: hasArrived,
  });
  const onArrived = useCallback(
    async (keptCode: string | null) => {
      if (keptCode !== null) setCode(keptCode);
      setArrived(true);
      await queries.invalidateQueries({ queryKey: ["access"] });
    },
    [queries],
  );
  const wasSignedIn = useRef(false);
  wasSignedIn.current ||= access.data?.signed_in === true;
  const isOut = access.data?.signed_in === false;
  useEffect(() => {
    // Another person may sign in next.
    if (isOut) removeAnswers(queries);
  }, [isOut, queries]);
  if (access.data?.signed_in && code === null) {
    return <SignedIn consoleClient={consoleClient} person={access.data} root={root} />;
  }
  return (
    <Gate
      access={access.data}
      // What signs in works once.
      arrival={hasArrived ? { kind: "open" } : arrival}
      client={consoleClient}
      code={code}
      error={access.error}
      hasEnded={wasSignedIn.current || (access.data?.signed_in === false && access.data.session_ended === true)}
      onArrived={onArrived}
      root={root}
    />
  );
}

function SignedIn(props: { consoleClient: ConsoleClient; person: Person; root: URL }): ReactElement {
  const { consoleClient, person, root } = props;
  const queries = useQueryClient();
  const [organizationId, setOrganizationId] = useState(() => person.organization_id ?? keptOrganization());
  const client = useMemo(() => createApiClient({ root, organizationId }), [root, organizationId]);
  const setOrganization = useCallback(
    (id: string | null) => {
      setOrganizationId(id);
      keepOrganization(id);
      removeAnswers(queries);
    },
    [queries],
  );
  const draft = useRef<CreateDraft>(undefined);
  const mode = useChanges({ root, organizationId });
  const views = useMemo(() => viewsOf(person).map(({ name }) => name), [person]);
  const texts = useTexts().shell;
  useEffect(() => {
    document.title = `${texts.title} · Open avatar service`;
  }, [texts]);
  return (
    <ConsoleContext value={{ root, person, views, organizationId, setOrganization, client, consoleClient, draft }}>
      <Shell mode={mode} />
    </ConsoleContext>
  );
}
