// The icons of the menu: lines on a grid of 24, in the colour of the text.
import type { ReactElement } from "react";
import type { ConsoleViewName } from "../../../shared/console-views.ts";

export type IconName = ConsoleViewName | "more";

const PATHS: Readonly<Record<IconName, string>> = {
  create: "M12 5v14M5 12h14",
  agents: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20c1-4 4-6 8-6s7 2 8 6",
  talk: "M4 5h16v11H11l-5 4v-4H4z",
  sessions: "M3 12h4l3-7 4 14 3-7h4",
  films: "M4 5h16v14H4zM10 9l5 3-5 3z",
  voices: "M4 10v4M8 7v10M12 4v16M16 7v10M20 10v4",
  gestures:
    "M12 21c-4 0-6-3-6-6V9a1.5 1.5 0 0 1 3 0V5a1.5 1.5 0 0 1 3 0v-.5a1.5 1.5 0 0 1 3 0V7a1.5 1.5 0 0 1 3 0v8c0 3-2 6-6 6z",
  player: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M10 8l6 4-6 4z",
  share: "M7 12a2.5 2.5 0 1 0-.1 0M17 7a2.5 2.5 0 1 0-.1 0M17 20a2.5 2.5 0 1 0-.1 0M9 11l6-4M9 13l6 4",
  knowledge: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11",
  usage: "M5 20V10M12 20V4M19 20v-7",
  secrets: "M15 9a4 4 0 1 0-7 3l-5 5v4h4v-2h2v-2h2l1-1a4 4 0 0 0 3-7",
  webhooks:
    "M12 8a3 3 0 1 0-3-3c0 1 .4 1.600 1 2.200L7 13M9 18h7M18 21a3 3 0 1 0 0-6 3 3 0 0 0-2 .8L13 9M6 21a3 3 0 1 0 0-6",
  organizations:
    "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M16 11a3 3 0 1 0 0-6M2 19c.5-3 2.500-5 6-5s5.500 2 6 5M16 14c3.500 0 5.500 2 6 5",
  operator: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  account:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6.500 18.500c1-2.500 3-3.500 5.500-3.500s4.500 1 5.500 3.500",
  more: "M5 12h.01M12 12h.01M19 12h.01",
};

/** Silent: the words beside it say the same. */
export function Icon({ name }: { name: IconName }): ReactElement {
  return (
    <svg aria-hidden="true" className="icon" viewBox="0 0 24 24">
      <path d={PATHS[name]} />
    </svg>
  );
}
