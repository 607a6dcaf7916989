// Create: the flow of the start page, with the access of the session.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import "../../../create/create.css";
import "../../../shared/stage/stage.css";
import { SessionAccess } from "../../../create/create-access.ts";
import { mountCreate } from "../../../create/mount-create.ts";
import { type CreateTexts, loadCreateTexts } from "../../../create/texts/load-create-texts.ts";
import { QueryResult } from "../../controls/query-result.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useLanguage } from "../../texts/texts-context.ts";
import "./style.css";

export default function CreateView(): ReactElement {
  const { language } = useLanguage();
  const texts = useQuery({
    queryKey: ["create-texts", language],
    queryFn: () => loadCreateTexts(language),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <QueryResult query={texts}>{(loaded) => <Flow texts={loaded} />}</QueryResult>;
}

function Flow({ texts }: { texts: CreateTexts }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const { root, organizationId, draft } = useConsole();
  const { language } = useLanguage();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const go = useRef(navigate);
  go.current = navigate;
  useEffect(() => {
    if (!host.current) return;
    const urlOf = (view: string, code: string) => new URL(`console/${view}/${encodeURIComponent(code)}`, root).href;
    const flow = mountCreate(host.current, {
      base: root,
      language,
      texts,
      draft: draft.current,
      access: new SessionAccess({ base: root, organizationId }),
      places: {
        agentUrl: (code) => urlOf("agents", code),
        talkUrl: (code) => urlOf("talk", code),
        // From the root, whatever route this view is in.
        go: (url) => go.current(`~${new URL(url).pathname}`),
        onSignedOut: () => void queries.invalidateQueries({ queryKey: ["access"] }),
      },
    });
    return () => {
      draft.current = flow.close();
    };
  }, [root, organizationId, language, texts, draft, queries]);
  return <div className="create-view" ref={host} />;
}
