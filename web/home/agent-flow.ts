// From a picture and choices to an avatar that talks: the service makes it, a person may have to mark it, and it may be
// refused.
import { atOwnOrigin } from "../shared/at-own-origin.ts";
import { findElement } from "../shared/find-element.ts";
import { RequestError } from "../shared/request-error.ts";
import { type AgentClient, type AgentOrder, type AgentStatus, randomName } from "./agent-client.ts";
import { currentStep, markingReason, noteOf, STEP_NAMES } from "./creation-steps.ts";
import { followAgent } from "./follow-agent.ts";
import type { HomeState } from "./home-state.ts";
import { MakingView } from "./making-view.ts";
import { toDataUri } from "./prepare-picture.ts";
import { RefusalView } from "./refusal-view.ts";

/** What the visitor wants to be made, but for the picture's bytes. */
export interface Order extends Omit<AgentOrder, "image"> {
  picture(): Promise<Blob>;
  /** Names the order. Default: a new name. */
  key?: string;
}

export interface AgentFlowOptions {
  client: AgentClient;
  view: { readonly state: HomeState; show(state: HomeState, title?: string): void };
  /** The service wants an API secret; `goOn` when there is one. */
  askForAccess(problem: string, goOn: () => void): void;
  /** Leads from a refusal back to the picture. */
  frame(): void;
  hasPicture(): boolean;
  /** Shows the picture of an agent that came without one. */
  showPicture(url: string, name: string): void;
  /** The service makes it. */
  onAccepted(code: string): void;
  /** It is there; `notes` are what to know about it. */
  onReady(status: AgentStatus, notes: readonly string[]): Promise<void>;
}

const GONE = "This avatar no longer exists.";
/** Refusals after which the same order may be accepted. */
const REPEATABLE = ["NETWORK", "SERVICE_UNAVAILABLE", "RATE_LIMITED", "INTERNAL_ERROR", "BAD_ANSWER", "CONFLICT"];
/** Of these the page tries again by itself, although the service named no time. */
const PASSING = ["NETWORK", "SERVICE_UNAVAILABLE"];
const RETRY_AFTER_S = 5;

/** One agent at a time. */
export class AgentFlow {
  readonly #options: AgentFlowOptions;
  readonly #making = new MakingView();
  readonly #refusal: RefusalView;
  readonly #marks = findElement("marks", HTMLIFrameElement);
  readonly #markingReason = findElement("marking-reason", HTMLElement);
  /** The agent on the page. `isDone` once it is ready: the others are deleted when the visitor turns away from them. */
  #agent: { code: string; isDone: boolean } | undefined;
  #order: Order | undefined;
  /** What was refused. */
  #again: () => void = () => undefined;
  /** Ends what runs when the visitor turns to something else. */
  #current = new AbortController();

  constructor(options: AgentFlowOptions) {
    this.#options = options;
    this.#refusal = new RefusalView({
      repeat: () => this.#again(),
      markFace: () => this.#order && void this.make({ ...this.#order, kind: "any", key: undefined }),
      frame: options.frame,
    });
  }

  /** The code of the agent on the page. */
  get code(): string | undefined {
    return this.#agent?.code;
  }

  /** Sends a picture, and follows the agent that is made from it. */
  async make(ordered: Order): Promise<void> {
    const order = { ...ordered, key: ordered.key ?? randomName() };
    this.#order = order;
    // What was lost on the way is not made twice.
    this.#again = () => void this.make(order);
    const signal = this.#begin();
    this.#making.showStep(0);
    this.#options.view.show("making");
    try {
      const { picture, key, ...rest } = order;
      const { code, notes } = await this.#create({ ...rest, image: await toDataUri(await picture()) }, key, signal);
      this.#set(code);
      this.#options.onAccepted(code);
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
    const { askForAccess, hasPicture, view } = this.#options;
    const problem = error instanceof RequestError ? error : new RequestError("", messageOf(error));
    const { code, message, reason, retryAfterSeconds } = problem;
    if (code === "UNAUTHORIZED" || code === "MISSING_AUTH") {
      askForAccess(message, this.#again);
      return;
    }
    const seconds = retryAfterSeconds ?? (PASSING.includes(code) ? RETRY_AFTER_S : undefined);
    this.#refusal.show({
      message,
      ...(REPEATABLE.includes(code) && { retry: { seconds } }),
      canMark: reason === "no-face" && this.#order !== undefined,
      canFrame: reason !== undefined && hasPicture(),
    });
    view.show("refused");
  }

  /** Leaves the agent of the page. One that is not ready is of no use to anyone, so it is deleted. */
  async leave(): Promise<void> {
    this.#current.abort();
    this.#refusal.leave();
    this.#marks.removeAttribute("src");
    const left = this.#agent;
    this.#agent = undefined;
    history.replaceState(history.state, "", location.pathname + location.search);
    // It may be gone already; otherwise it remains in the account, where its owner finds it.
    if (left && !left.isDone) await this.#options.client.delete(left.code).catch(() => undefined);
  }

  /** The avatar has appeared: all steps are done. */
  finish(): void {
    this.#making.showStep(STEP_NAMES.length);
  }

  #begin(): AbortSignal {
    this.#current.abort();
    this.#refusal.leave();
    this.#current = new AbortController();
    return this.#current.signal;
  }

  #set(code: string): void {
    this.#agent = { code, isDone: false };
    // The page finds it again when it is loaded again.
    history.replaceState(history.state, "", `#agent=${code}`);
  }

  /** A drawn face is refused as a photograph, and then made as what it is. */
  async #create(order: AgentOrder, key: string, signal: AbortSignal): ReturnType<AgentClient["create"]> {
    const { client } = this.#options;
    try {
      return await client.create(order, key, signal);
    } catch (error) {
      const isDrawn = error instanceof RequestError && error.reason === "not-a-person";
      if (!isDrawn) throw error;
      return client.create({ ...order, kind: "any" }, `${key}-any`, signal);
    }
  }

  async #follow(code: string, notes: readonly string[], signal: AbortSignal): Promise<void> {
    const { client, onReady } = this.#options;
    try {
      const status = await followAgent({
        client,
        code,
        signal,
        onStatus: (latest) => void this.#showProgress(latest, signal),
        onTrouble: (message) => this.#making.showTrouble(message),
      });
      if (status.state === "failed") return this.refuse(new RequestError("FAILED", status.message));
      this.#agent = { code, isDone: true };
      this.#making.showStep(STEP_NAMES.length - 1);
      const note = noteOf(status);
      await onReady(status, note === undefined ? notes : [...notes, note]);
    } catch (error) {
      if (signal.aborted) return;
      const isGone = error instanceof RequestError && error.code === "NOT_FOUND";
      if (isGone) this.#agent = undefined;
      this.refuse(isGone ? new RequestError("FAILED", GONE) : error);
    }
  }

  async #showProgress(status: AgentStatus, signal: AbortSignal): Promise<void> {
    const { client, view, hasPicture, showPicture } = this.#options;
    if (status.state === "ready" || status.state === "failed") return;
    if (!hasPicture() && status.imageUrl !== "") showPicture(atOwnOrigin(status.imageUrl), status.name);
    if (status.state === "making") {
      this.#making.showStep(currentStep(status));
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
