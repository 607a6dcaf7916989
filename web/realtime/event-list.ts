// The list of a call's events, newest first. Everything is shown through textContent.
import { findElement } from "../shared/find-element.ts";
import type { RealtimeEvent } from "./realtime-call.ts";

/** Older events leave the page. */
const MOST_EVENTS = 500;
/** Longer strings are shortened where an event is opened: audio, for example. */
const MOST_CHARACTERS = 400;
/** What is shown beside the type, the most telling first. */
const DETAILS = ["delta", "transcript", "text", "status", "audio_end_ms", "item_id", "response_id"];

export class EventList {
  readonly #section = findElement("events", HTMLElement);
  readonly #list = findElement("list", HTMLOListElement);
  readonly #count = findElement("count", HTMLElement);
  #total = 0;
  #startMs = 0;

  /** A new call. */
  clear(): void {
    this.#list.replaceChildren();
    this.#total = 0;
    this.#startMs = performance.now();
    this.#section.hidden = false;
    this.#count.textContent = "";
  }

  add(direction: "in" | "out", event: RealtimeEvent): void {
    const row = document.createElement("li");
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    const time = document.createElement("time");
    time.textContent = `${((performance.now() - this.#startMs) / 1000).toFixed(2)} s`;
    const arrow = text("span", direction === "in" ? "↓" : "↑");
    arrow.title = direction === "in" ? "From the model" : "From this page";
    summary.append(time, arrow, text("span", event.type), text("span", detailOf(event), "detail"));
    summary.dataset.type = event.type;
    details.append(summary);
    // Written when it is opened: most never are.
    details.addEventListener("toggle", () => details.append(text("pre", pretty(event))), { once: true });
    row.append(details);
    this.#list.prepend(row);
    if (this.#list.childElementCount > MOST_EVENTS) this.#list.lastElementChild?.remove();
    this.#total += 1;
    this.#count.textContent = this.#total === 1 ? "1 event" : `${this.#total} events`;
  }
}

function text(tag: string, content: string, className = ""): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = content;
  if (className !== "") element.className = className;
  return element;
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
