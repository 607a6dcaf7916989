// From a picture or words and choices to an avatar that talks: the service makes it, a person may have to mark it, and
// it may be refused.
import { atOwnOrigin } from "../shared/at-own-origin.ts";
import { RequestError } from "../shared/request-error.ts";
import { type AgentClient, type AgentOrder, type AgentStatus, randomName } from "./agent-client.ts";
import type { CreateContext } from "./create-context.ts";
import type { CreateState } from "./create-state.ts";
import { currentStep, markingReason, noteOf, STEP_COUNT } from "./creation-steps.ts";
import { followAgent } from "./follow-agent.ts";
import type { KeptOrder } from "./kept-order.ts";
import { MakingView } from "./making-view.ts";
import { toDataUri } from "./prepare-picture.ts";
import type { Prices } from "./prices.ts";
import { type Refusal, RefusalView } from "./refusal-view.ts";

/** What the visitor wants to be made, but for the picture's bytes. */
export interface Order extends Omit<AgentOrder, "image"> {
  /** Undefined: the service decides what the face looks like. */
  picture?: () => Promise<Blob>;
  /** Names the order. Default: a new name. */
  key?: string;
}

export interface AgentFlowOptions {
  client: AgentClient;
  prices: Prices;
  view: { readonly state: CreateState; show(state: CreateState, title?: string): void };
  kept: KeptOrder;
  /** The service wants an API secret, or the session has ended; `goOn` when there is access. */
  askForAccess(problem: string, goOn: () => void): void;
  /** Leads from a refusal back to the picture. */
  frame(): void;
  /** Leads from a refusal back to the choices. */
  change(): void;
  hasPicture(): boolean;
  /** Shows the picture of an agent that came without one. */
  showPicture(url: string, name: string): void;
  /** The service makes it. */
  onAccepted(code: string): void;
  /** It is there; `notes` are what to know about it. */
  onReady(status: AgentStatus, notes: readonly string[]): Promise<void>;
  /** Where credits are bought. */
  topUpUrl: string;
}

/** Refusals after which the same order may be accepted. */
const REPEATABLE = ["NETWORK", "SERVICE_UNAVAILABLE", "RATE_LIMITED", "INTERNAL_ERROR", "BAD_ANSWER", "CONFLICT"];
/** Of these the flow tries again by itself, although the service named no time. */
const PASSING = ["NETWORK", "SERVICE_UNAVAILABLE"];
const RETRY_AFTER_S = 5;
/** Why an order is not followed any further: the visitor left it, or the flow was closed. */
const LEFT = "left";
const CLOSED = "closed";
/** The order cannot be paid. */
const TOO_LITTLE = "INSUFFICIENT_BALANCE";

/** One agent at a time. */
export class AgentFlow {
  readonly #context: CreateContext;
  readonly #options: AgentFlowOptions;
  readonly #making: MakingView;
  readonly #refusal: RefusalView;
  readonly #marks: HTMLIFrameElement;
  readonly #markingReason: HTMLElement;
  /** The agent on the page. `isDone` once it is ready: the others are deleted when the visitor turns away from them. */
  #agent: { code: string; isDone: boolean } | undefined;
  #order: Order | undefined;
  /** What was refused. */
  #again: () => void = () => undefined;
  /** Ends what runs when the visitor turns to something else. */
  #current = new AbortController();

  constructor(context: CreateContext, options: AgentFlowOptions) {
    const { find } = context;
    this.#context = context;
    this.#options = options;
    this.#making = new MakingView(context);
    this.#marks = find("marks", HTMLIFrameElement);
    this.#markingReason = find("marking-reason", HTMLElement);
    const asAny = () => this.#order && void this.make({ ...this.#order, kind: "any", key: undefined });
    this.#refusal = new RefusalView(context, {
      repeat: () => this.#again(),
      makeDrawn: asAny,
      markFace: asAny,
      frame: options.frame,
      change: options.change,
    });
  }

  /** The code of the agent on the page. */
  get code(): string | undefined {
    return this.#agent?.code;
  }

  /** What was ordered last. */
  get order(): Order | undefined {
    return this.#order;
  }

  /** Sends an order, and follows the agent that is made from it. One that cannot be paid is not sent. */
  async make(ordered: Order): Promise<void> {
    const { client, prices, view, onAccepted } = this.#options;
    const order = { ...ordered, key: ordered.key ?? randomName() };
    this.#order = order;
    // What was lost on the way is not made twice.
    this.#again = () => void this.make(order);
    const signal = this.#begin();
    const { picture, key, ...rest } = order;
    this.#making.begin({ hasPicture: picture !== undefined });
    const tooLittle = await prices.whyTooLittle(order.kind);
    if (signal.aborted) return;
    if (tooLittle !== undefined) return this.refuse(new RequestError(TOO_LITTLE, tooLittle));
    view.show("making");
    try {
      const image = picture ? await toDataUri(await picture(), this.#context.texts.picture) : null;
      if (signal.aborted) return;
      // It is sent to its end, also when the visitor turns away: the service may have taken it already.
      const { code, notes } = await client.create({ ...rest, image }, key);
      if (signal.aborted) return this.#dispose(code, signal.reason);
      this.#set(code);
      onAccepted(code);
      await this.#follow(code, notes, signal);
    } catch (error) {
      if (!signal.aborted) this.refuse(error);
    }
  }

  /** Opens an agent that exists. */
  async open(code: string): Promise<void> {
    this.#again = () => void this.open(code);
    const signal = this.#begin();
    this.#options.view.show("opening");
    this.#set(code);
    await this.#follow(code, [], signal);
  }

  /** Says why there is no avatar. */
  refuse(error: unknown): void {
    this.#current.abort();
    const { askForAccess, view } = this.#options;
    const problem = error instanceof RequestError ? error : new RequestError("", messageOf(error));
    if (problem.code === "UNAUTHORIZED" || problem.code === "MISSING_AUTH") {
      askForAccess(problem.message, this.#again);
      return;
    }
    this.#refusal.show(this.#refusalOf(problem));
    view.show("refused");
  }

  /** The session has ended, in which the flow had its access. */
  refuseSignedOut(signInUrl: string): void {
    this.#refusal.show({ message: this.#context.texts.access.signedOut, signInUrl, retry: {} });
    this.#options.view.show("refused", this.#context.texts.titles.signedOut);
  }

  /** Leaves the agent of the page. One that is not ready is of no use to anyone, so it is deleted. Returns whether it
   *  was. */
  async leave(): Promise<boolean> {
    this.#end(LEFT);
    const { client, kept } = this.#options;
    const left = this.#agent;
    this.#agent = undefined;
    kept.forget();
    history.replaceState(history.state, "", location.pathname + location.search);
    if (!left || left.isDone) return false;
    // It may be gone already; otherwise it remains in the account, where its owner finds it.
    return client.delete(left.code).then(
      () => true,
      () => false,
    );
  }

  /** Ends what runs; an agent that is being made stays. Idempotent. */
  close(): void {
    this.#end(CLOSED);
  }

  /** The avatar has appeared: all steps are done. */
  finish(): void {
    this.#making.showStep(STEP_COUNT);
  }

  #begin(): AbortSignal {
    this.#current.abort();
    this.#refusal.leave();
    this.#current = new AbortController();
    return this.#current.signal;
  }

  #end(reason: string): void {
    this.#current.abort(reason);
    this.#refusal.leave();
    this.#marks.removeAttribute("src");
  }

  /** Of an order that was taken after the visitor turned away: it is deleted, or kept for the next flow. */
  #dispose(code: string, reason: unknown): void {
    const { client, kept } = this.#options;
    if (reason === LEFT) void client.delete(code).catch(() => undefined);
    else if (reason === CLOSED) kept.keep(code);
  }

  #set(code: string): void {
    this.#agent = { code, isDone: false };
    // The page finds it again when it is loaded again.
    this.#options.kept.keep(code);
    history.replaceState(history.state, "", `#agent=${encodeURIComponent(code)}`);
  }

  #refusalOf({ code, message, reason, retryAfterSeconds }: RequestError): Refusal {
    const { hasPicture, prices, topUpUrl } = this.#options;
    const { price, refused } = this.#context.texts;
    // It costs more than what was ordered, so the visitor decides.
    const isDrawn = code === "MODEL_SUBJECT_MISMATCH" && reason !== "no-face" && this.#order?.kind === "photograph";
    const drawnPrice = prices.priceOf("any");
    const drawn = drawnPrice === undefined ? price.drawnFree : price.drawn(drawnPrice);
    const seconds = retryAfterSeconds ?? (PASSING.includes(code) ? RETRY_AFTER_S : undefined);
    return {
      message: isDrawn ? drawn : code === "NETWORK" ? refused.unreachable : message,
      ...(REPEATABLE.includes(code) && { retry: { seconds } }),
      ...(code === TOO_LITTLE && { topUpUrl, retry: {} }),
      canMakeDrawn: isDrawn,
      canMark: reason === "no-face" && this.#order?.picture !== undefined,
      canFrame: reason !== undefined && hasPicture(),
      canChange: this.#order !== undefined,
    };
  }

  async #follow(code: string, notes: readonly string[], signal: AbortSignal): Promise<void> {
    const { client, kept, onReady } = this.#options;
    try {
      const status = await followAgent({
        client,
        code,
        signal,
        onStatus: (latest) => void this.#showProgress(latest, signal),
        onTrouble: (message) => this.#making.showTrouble(message),
      });
      if (status.state === "failed") {
        this.refuse(new RequestError("FAILED", status.message));
        await this.#showRefund(code);
        return;
      }
      this.#agent = { code, isDone: true };
      kept.forget();
      this.#making.showStep(STEP_COUNT - 1);
      const note = noteOf(status);
      await onReady(status, note === undefined ? notes : [...notes, note]);
    } catch (error) {
      if (signal.aborted) return;
      const isGone = error instanceof RequestError && error.code === "NOT_FOUND";
      if (isGone) {
        this.#agent = undefined;
        kept.forget();
      }
      this.refuse(isGone ? new RequestError("FAILED", this.#context.texts.refused.gone) : error);
    }
  }

  /** What the ledger says of an agent that failed. */
  async #showRefund(code: string): Promise<void> {
    const text = await this.refundOf(code);
    if (this.#agent?.code === code && this.#options.view.state === "refused") this.#refusal.showRefund(text);
  }

  /** What was given back for an agent that there is not, in words; empty if that is unknown. */
  async refundOf(code: string): Promise<string> {
    const { client, prices } = this.#options;
    const { price, refused } = this.#context.texts;
    const costs = await client.costs(code).catch(() => undefined);
    // A page's token opens no ledger; what fails is always given back whole.
    if (!costs) return refused.refundedAll;
    if (costs.charged === 0) return refused.notCharged;
    if (costs.refunded === 0) return "";
    await prices.refresh();
    return refused.refunded(price.credits(costs.refunded), prices.balance ?? "");
  }

  async #showProgress(status: AgentStatus, signal: AbortSignal): Promise<void> {
    const { client, view, hasPicture, showPicture } = this.#options;
    if (status.state === "ready" || status.state === "failed") return;
    if (!hasPicture() && status.imageUrl !== "") showPicture(atOwnOrigin(status.imageUrl), status.name);
    if (status.state === "making") {
      this.#making.showStep(currentStep(status));
      this.#making.showProgress(this.#context.texts.service.progress(status.message));
      if (view.state !== "making") view.show("making");
    } else if (view.state !== "marking") {
      try {
        const page = await client.markingPage(status.code);
        if (signal.aborted) return;
        this.#markingReason.textContent = markingReason(status);
        this.#marks.src = page;
        view.show("marking");
      } catch (error) {
        if (!signal.aborted) this.refuse(error);
      }
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
