// What the parts of the flow share.
import type { FindElement } from "../shared/find-element.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

export interface CreateContext {
  /** Finds elements of the flow, wherever in a page it is mounted. */
  find: FindElement;
  texts: CreateTexts;
  /** A number as the texts' language writes it. `places`: of the fraction, at most. Default 0. */
  number(value: number, places?: number): string;
  /** Fires when the flow is closed: listeners outside of it end with it. */
  closed: AbortSignal;
}
