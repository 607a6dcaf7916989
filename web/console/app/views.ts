// The console's views: what each needs, and the code that shows it, which is loaded when it is opened.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { ConsoleViewName } from "../../../shared/console-views.ts";
import type { Person } from "../data/console-client.ts";
import type { Texts } from "../texts/load-texts.ts";

export interface ViewEntry {
  name: ConsoleViewName;
  /** In the menu. */
  title(texts: Texts): string;
  /** Operations of the API without which the view is hidden. */
  needs: readonly string[];
  /** One of the five of a phone's bar; the others are below "More". */
  isInBar?: boolean;
  /** Whether the person sees it. Default: everyone does. */
  isFor?(person: Person): boolean;
  View: LazyExoticComponent<ComponentType>;
}

/** In the order of the menu. The first is shown when the console opens. */
const VIEWS: readonly ViewEntry[] = [
  {
    name: "create",
    title: (texts) => texts.create.title,
    needs: ["agents.generate"],
    isInBar: true,
    View: lazy(() => import("../views/create/create-view.tsx")),
  },
  {
    name: "agents",
    title: (texts) => texts.agents.title,
    needs: ["agents.list", "agents.get"],
    isInBar: true,
    View: lazy(() => import("../views/agents/agents-view.tsx")),
  },
  {
    name: "talk",
    title: (texts) => texts.talk.title,
    needs: ["agents.list", "embedTokens.create"],
    isInBar: true,
    View: lazy(() => import("../views/talk/talk-view.tsx")),
  },
  {
    name: "sessions",
    title: (texts) => texts.sessions.title,
    needs: ["sessions.list", "sessions.get"],
    isInBar: true,
    View: lazy(() => import("../views/sessions/sessions-view.tsx")),
  },
  {
    name: "films",
    title: (texts) => texts.films.title,
    needs: ["videos.list", "videos.generate", "pricing.get"],
    View: lazy(() => import("../views/films/films-view.tsx")),
  },
  {
    name: "voices",
    title: (texts) => texts.voices.title,
    needs: ["voices.list", "speech.synthesize", "studio.preview"],
    View: lazy(() => import("../views/voices/voices-view.tsx")),
  },
  {
    name: "gestures",
    title: (texts) => texts.gestures.title,
    needs: ["dynamics.get", "dynamics.generate", "agents.list"],
    View: lazy(() => import("../views/gestures/gestures-view.tsx")),
  },
  {
    name: "player",
    title: (texts) => texts.player.title,
    needs: [],
    View: lazy(() => import("../views/player/player-view.tsx")),
  },
  {
    name: "share",
    title: (texts) => texts.share.title,
    needs: ["agents.list", "agentSharing.get", "agentSharing.replace"],
    View: lazy(() => import("../views/share/share-view.tsx")),
  },
  {
    name: "knowledge",
    title: (texts) => texts.knowledge.title,
    needs: ["knowledgeBases.list", "organizations.listOwn"],
    View: lazy(() => import("../views/knowledge/knowledge-view.tsx")),
  },
  {
    name: "usage",
    title: (texts) => texts.usage.title,
    needs: ["usage.group", "ledger.list", "credits.summarize", "pricing.get"],
    View: lazy(() => import("../views/usage/usage-view.tsx")),
  },
  {
    name: "secrets",
    title: (texts) => texts.secrets.title,
    needs: ["secrets.list", "secrets.create"],
    View: lazy(() => import("../views/secrets/secrets-view.tsx")),
  },
  {
    name: "webhooks",
    title: (texts) => texts.webhooks.title,
    needs: ["webhooks.list"],
    View: lazy(() => import("../views/webhooks/webhooks-view.tsx")),
  },
  {
    name: "organizations",
    title: (texts) => texts.organizations.title,
    needs: ["organizations.listOwn"],
    View: lazy(() => import("../views/organizations/organizations-view.tsx")),
  },
  {
    name: "operator",
    title: (texts) => texts.operator.title,
    needs: [],
    isFor: (person) => person.is_operator,
    View: lazy(() => import("../views/operator/operator-view.tsx")),
  },
  {
    name: "account",
    title: (texts) => texts.account.title,
    needs: [],
    isInBar: true,
    View: lazy(() => import("../views/account/account-view.tsx")),
  },
];

/** Those that the person can use on this installation. */
export function viewsOf(person: Person): ViewEntry[] {
  return VIEWS.filter(({ needs, isFor = () => true }) => {
    return isFor(person) && needs.every((operation) => person.operations.includes(operation));
  });
}
