// Which modules of the pages share a file. Left alone, the bundler makes a file for each set of modules with the same
// importers: 48 for the console's first view, half of them smaller than the headers of their answers.
import type { Rollup } from "vite";

type CodeSplitting = Exclude<NonNullable<Rollup.OutputOptions["codeSplitting"]>, boolean>;
type Group = NonNullable<CodeSplitting["groups"]>[number];

/** Small modules that most pages have. A page that needs one of them loads all, 3.5 KB. */
const BASICS = [
  "program/state-machine",
  "shared/change-nouns",
  "shared/console-views",
  "shared/engine-error",
  "shared/units",
  "shared/wire-names",
  "web/create/texts/load-create-texts",
  "web/shared/access",
  "web/shared/aspect-ratio",
  "web/shared/at-own-origin",
  "web/shared/copy-text",
  "web/shared/element",
  "web/shared/find-element",
  "web/shared/frame-messages",
  "web/shared/gesture-chips",
  "web/shared/in-language",
  "web/shared/is-on-this-machine",
  "web/shared/languages",
  "web/shared/plural",
  "web/shared/request-error",
  "web/shared/retry-countdown",
  "web/shared/sample-faces",
  "web/shared/send-request",
  "web/shared/tab-storage",
] as const;

const GROUPS: readonly Group[] = [
  { name: "look", test: /\/web\/shared\/(look|tokens)\.css/ },
  { name: "buttons", test: /\/web\/shared\/controls\.css/ },
  { name: "basics", test: new RegExp(`/(${BASICS.join("|")})\\.ts|vite/preload-helper|rolldown/runtime`) },
  { name: "code", test: /\/web\/shared\/code\// },
  { name: "stage", test: /\/web\/shared\/stage\/stage\.(ts|css)/ },
  // What the console is before any of its views, React with it.
  {
    name: "console",
    tags: ["$initial"],
    test: /\/node_modules\/(react|react-dom|react-aria|react-aria-components|react-stately|@tanstack|wouter)\/|\/web\/console\//,
  },
  // What almost every view is made of, apart from the first, which has its own markup.
  { name: "controls", test: /\/web\/console\/controls\/(?!query-result|voice-picker|agent-|secret-|code-)/ },
];

/** A module goes to the first group that has it, with what it imports unless an earlier group has that. So what other
 *  pages load as well stands before what only the console does. */
export const CHUNK_GROUPS: CodeSplitting = {
  groups: GROUPS.map((group, index) => ({ ...group, priority: GROUPS.length - index })),
};
