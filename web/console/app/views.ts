// The console's views: what each needs, and the code that shows it, which is loaded when it is opened.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { ConsoleViewName } from "../../../shared/console-views.ts";
import { loadCreateTexts } from "../../create/texts/load-create-texts.ts";
import type { Person } from "../data/console-access.ts";
import type { Language } from "../texts/languages.ts";
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
  /** Loads its code, which `View` shows. */
  load(): Promise<unknown>;
  View: LazyExoticComponent<ComponentType>;
  /** Loads texts that are the view's alone. */
  loadTexts?(language: Language): Promise<unknown>;
}

function loaded(load: () => Promise<{ default: ComponentType }>): Pick<ViewEntry, "load" | "View"> {
  return { load, View: lazy(load) };
}

/** In the order of the menu. The first is shown when the console opens. */
const VIEWS: readonly ViewEntry[] = [
  {
    name: "create",
    title: (texts) => texts.create.title,
    needs: ["agents.generate"],
    isInBar: true,
    ...loaded(() => import("../views/create/create-view.tsx")),
    loadTexts: loadCreateTexts,
  },
  {
    name: "agents",
    title: (texts) => texts.agents.title,
    needs: ["agents.list", "agents.get"],
    isInBar: true,
    ...loaded(() => import("../views/agents/agents-view.tsx")),
  },
  {
    name: "talk",
    title: (texts) => texts.talk.title,
    needs: ["agents.list", "embedTokens.create"],
    isInBar: true,
    ...loaded(() => import("../views/talk/talk-view.tsx")),
  },
  {
    name: "sessions",
    title: (texts) => texts.sessions.title,
    needs: ["sessions.list", "sessions.get"],
    isInBar: true,
    ...loaded(() => import("../views/sessions/sessions-view.tsx")),
  },
  {
    name: "films",
    title: (texts) => texts.films.title,
    needs: ["videos.list", "videos.generate", "pricing.get"],
    ...loaded(() => import("../views/films/films-view.tsx")),
  },
  {
    name: "voices",
    title: (texts) => texts.voices.title,
    needs: ["voices.list", "speech.synthesize", "studio.preview"],
    ...loaded(() => import("../views/voices/voices-view.tsx")),
  },
  {
    name: "gestures",
    title: (texts) => texts.gestures.title,
    needs: ["dynamics.get", "dynamics.generate", "agents.list"],
    ...loaded(() => import("../views/gestures/gestures-view.tsx")),
  },
  {
    name: "player",
    title: (texts) => texts.player.title,
    needs: [],
    ...loaded(() => import("../views/player/player-view.tsx")),
  },
  {
    name: "share",
    title: (texts) => texts.share.title,
    needs: ["agents.list", "agentSharing.get", "agentSharing.replace"],
    ...loaded(() => import("../views/share/share-view.tsx")),
  },
  {
    name: "knowledge",
    title: (texts) => texts.knowledge.title,
    needs: ["knowledgeBases.list", "organizations.listOwn"],
    ...loaded(() => import("../views/knowledge/knowledge-view.tsx")),
  },
  {
    name: "usage",
    title: (texts) => texts.usage.title,
    needs: ["usage.group", "ledger.list", "credits.summarize", "pricing.get"],
    ...loaded(() => import("../views/usage/usage-view.tsx")),
  },
  {
    name: "secrets",
    title: (texts) => texts.secrets.title,
    needs: ["secrets.list", "secrets.create"],
    ...loaded(() => import("../views/secrets/secrets-view.tsx")),
  },
  {
    name: "webhooks",
    title: (texts) => texts.webhooks.title,
    needs: ["webhooks.list"],
    ...loaded(() => import("../views/webhooks/webhooks-view.tsx")),
  },
  {
    name: "organizations",
    title: (texts) => texts.organizations.title,
    needs: ["organizations.listOwn"],
    ...loaded(() => import("../views/organizations/organizations-view.tsx")),
  },
  {
    name: "operator",
    title: (texts) => texts.operator.title,
    needs: [],
    isFor: (person) => person.is_operator,
    ...loaded(() => import("../views/operator/operator-view.tsx")),
  },
  {
    name: "account",
    title: (texts) => texts.account.title,
    needs: [],
    isInBar: true,
    ...loaded(() => import("../views/account/account-view.tsx")),
  },
];

/** Those that the person can use on this installation. */
export function viewsOf(person: Person): ViewEntry[] {
  return VIEWS.filter(({ needs, isFor = () => true }) => {
    return isFor(person) && needs.every((operation) => person.operations.includes(operation));
  });
}
