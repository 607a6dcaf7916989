// All states of all pages, in the order of the sheet.
import { ACCOUNT_STATES } from "./account-states.ts";
import { CONSOLE_MEDIA_STATES } from "./console-media-states.ts";
import { CONSOLE_STATES } from "./console-states.ts";
import { CONSOLE_TALK_STATES } from "./console-talk-states.ts";
import { CONSOLE_VIEW_STATES } from "./console-view-states.ts";
import { CREATE_STATES } from "./create-states.ts";
import { DOCS_STATES } from "./docs-states.ts";
import { EMBED_STATES } from "./embed-states.ts";
import { HOME_STATES } from "./home-states.ts";
import { LOCAL_STATES } from "./local-states.ts";
import { MARK_STATES } from "./mark-states.ts";
import { NOT_FOUND_STATES } from "./not-found-states.ts";
import type { PageState } from "./page-state.ts";
import { REALTIME_STATES } from "./realtime-states.ts";
import { WEBHOOK_STATES } from "./webhook-states.ts";

export const PAGE_STATES: readonly PageState[] = [
  ...HOME_STATES,
  ...ACCOUNT_STATES,
  ...CONSOLE_STATES,
  ...CONSOLE_VIEW_STATES,
  ...CONSOLE_TALK_STATES,
  ...CREATE_STATES,
  ...CONSOLE_MEDIA_STATES,
  ...WEBHOOK_STATES,
  ...EMBED_STATES,
  ...DOCS_STATES,
  ...LOCAL_STATES,
  ...MARK_STATES,
  ...NOT_FOUND_STATES,
  ...REALTIME_STATES,
];
