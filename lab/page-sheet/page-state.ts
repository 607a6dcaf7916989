// A state of a page, as the sheet of screenshots shows it.
import type { Page } from "playwright-core";

/** The running service that the pages are opened from. */
export interface SheetService {
  /** Address of the start page, without a slash at the end. */
  baseUrl: string;
  /** The operator's API secret. */
  apiSecret: string;
}

export interface PageState {
  /** Page and state, for example `embed, busy`. */
  name: string;
  /** Also photographed in these at 320 px, as browsers name them. Reached in every language, then. */
  languages?: readonly string[];
  /** Brings an empty tab, of any size and theme, into the state. Throws if the state is not reached in time. */
  open(page: Page, service: SheetService): Promise<void>;
}
