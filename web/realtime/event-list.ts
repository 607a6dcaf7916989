// The list of a call's events, in the order of time, with a filter. Everything is shown through textContent.
import { element } from "../shared/element.ts";
import { findElement } from "../shared/find-element.ts";
import { EVENT_KINDS, type EventKind, eventKind, SHOWN_FIRST } from "./event-kinds.ts";
import type { RealtimeEvent } from "./realtime-call.ts";

/** Older events leave the page. */
const MOST_EVENTS = 500;
/** Longer strings are shortened where an event is opened: audio, for example. */
const MOST_CHARACTERS = 400;
/** What is shown beside the type, the most telling first. */
const DETAILS = ["delta", "transcript", "text", "status", "audio_end_ms", "item_id", "response_id"];
/** A list that is scrolled this near to its end follows new events, in px. */
const NEAR_END_PX = 40;

export class EventList {
  readonly #list = findElement("list", HTMLOListElement);
  readonly #empty = findElement("no-events", HTMLElement);
  readonly #shown = new Set<EventKind>(SHOWN_FIRST);
  readonly #counts = new Map<EventKind, { count: number; label: HTMLElement }>();

  constructor() {
    const chips = Object.entries(EVENT_KINDS).map(([kind, name]) => this.#chip(kind as EventKind, name));
    findElement("kinds", HTMLElement).replaceChildren(...chips);
  }

  /** A new call. */
  clear(): void {
    this.#list.replaceChildren();
    for (const [kind, entry] of this.#counts) {
      entry.count = 0;
      this.#showCount(kind);
    }
    this.#showEmptiness();
  }

  /** `atMs`: since the call began. */
  add(direction: "in" | "out", event: RealtimeEvent, atMs: number): void {
    const kind = eventKind(event.type);
    const isFollowing = this.#list.scrollTop + this.#list.clientHeight > this.#list.scrollHeight - NEAR_END_PX;
    const details = element(
      "details",
      {},
      element(
        "summary",
        {},
        element("time", {}, `${(atMs / 1000).toFixed(2)} s`),
        element(
          "span",
          { title: direction === "in" ? "From the model" : "From this page" },
          direction === "in" ? "↓" : "↑",
        ),
        element("span", { className: "type" }, event.type),
        element("span", { className: "detail" }, detailOf(event)),
      ),
    );
    // Written when it is opened: most never are.
    const open = () => details.append(element("pre", {}, pretty(event)));
    details.addEventListener("toggle", open, { once: true });
    const row = element("li", { hidden: !this.#shown.has(kind) }, details);
    row.dataset.type = event.type;
    row.dataset.kind = kind;
    this.#list.append(row);
    if (this.#list.childElementCount > MOST_EVENTS) this.#list.firstElementChild?.remove();
    const entry = this.#counts.get(kind);
    if (entry) entry.count += 1;
    this.#showCount(kind);
    this.#showEmptiness();
    if (isFollowing) this.#list.scrollTop = this.#list.scrollHeight;
  }

  #chip(kind: EventKind, name: string): HTMLElement {
    const label = element("span", { className: "count" });
    const chip = element("button", { type: "button", className: "chip" }, name, " ", label);
    chip.ariaPressed = String(this.#shown.has(kind));
    chip.addEventListener("click", () => {
      if (!this.#shown.delete(kind)) this.#shown.add(kind);
      chip.ariaPressed = String(this.#shown.has(kind));
      for (const row of this.#list.querySelectorAll<HTMLElement>(`[data-kind="${kind}"]`)) {
        row.hidden = !this.#shown.has(kind);
      }
      this.#showEmptiness();
    });
    this.#counts.set(kind, { count: 0, label });
    return chip;
  }

  #showCount(kind: EventKind): void {
    const entry = this.#counts.get(kind);
    if (entry) entry.label.textContent = entry.count === 0 ? "" : String(entry.count);
  }

  #showEmptiness(): void {
    const hasShown = this.#list.querySelector("li:not([hidden])") !== null;
    this.#list.hidden = !hasShown;
    this.#empty.hidden = hasShown;
  }
}

function detailOf(event: RealtimeEvent): string {
  const { error } = event as { error?: { message?: unknown } };
  if (typeof error?.message === "string") return error.message;
  const name = DETAILS.find((key) => typeof event[key] === "string" || typeof event[key] === "number");
  return name === undefined ? "" : String(event[name]).slice(0, MOST_CHARACTERS);
}

function pretty(event: RealtimeEvent): string {
  const shorten = (_: string, value: unknown) =>
    typeof value === "string" && value.length > MOST_CHARACTERS
      ? `${value.slice(0, MOST_CHARACTERS)}… (${value.length} characters)`
      : value;
  return JSON.stringify(event, shorten, 2);
}
