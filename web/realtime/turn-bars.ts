// One bar for each turn of a call: heard, thought, spoke. The words beside it say the same.
import { element } from "../shared/element.ts";
import { findElement } from "../shared/find-element.ts";
import type { CallTurn } from "./call-turns.ts";

/** A bar as wide as the list is at least this long, ms. */
const SHORTEST_SCALE_MS = 4_000;
const PHASES = { heard: "hearing", thought: "thinking", spoke: "speaking" } as const;
type PhaseName = keyof typeof PHASES;

export class TurnBars {
  readonly #list = findElement("turns", HTMLOListElement);
  readonly #empty = findElement("no-turns", HTMLElement);

  /** `nowMs`: since the call began; the phase that goes on is as long as until then. */
  show(turns: readonly CallTurn[], nowMs: number): void {
    this.#list.hidden = turns.length === 0;
    this.#empty.hidden = turns.length > 0;
    const lengths = turns.map((turn) => phasesOf(turn, nowMs));
    const totals = lengths.map((phases) => phases.reduce((sum, { ms }) => sum + ms, 0));
    const scaleMs = Math.max(SHORTEST_SCALE_MS, ...totals);
    this.#list.replaceChildren(
      ...turns.map((turn, index) => {
        const bar = element("div", { className: "bar", ariaHidden: "true" });
        for (const { name, ms } of lengths[index]) {
          const part = element("span", { className: name });
          part.style.width = `${(100 * ms) / scaleMs}%`;
          bar.append(part);
        }
        const words = lengths[index].map(({ name, ms }) => `${name} ${duration(ms)}`);
        if (turn.isInterrupted) words.push("interrupted");
        return element("li", {}, bar, element("p", {}, words.join(" · ")));
      }),
    );
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}

function phasesOf(turn: CallTurn, nowMs: number): { name: PhaseName; ms: number }[] {
  const known = { heard: turn.heardMs, thought: turn.thoughtMs, spoke: turn.spokeMs };
  return (Object.keys(PHASES) as PhaseName[]).flatMap((name) => {
    const ms = turn.phase === PHASES[name] ? nowMs - turn.sinceMs : known[name];
    return ms === undefined ? [] : [{ name, ms: Math.max(0, ms) }];
  });
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
