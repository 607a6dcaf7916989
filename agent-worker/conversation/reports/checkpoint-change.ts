// What has changed between two checkpoints of a conversation: the history of an hour is not sent again with every word.
import type { SessionMessage } from "../../../shared/runtime-api.ts";
import type { LlmMessage } from "../../../src/conversation/llm/llm-turn.ts";
import type { ConversationCheckpoint } from "./conversation-checkpoint.ts";

/** Of a list with entries that stay as they are and in order. */
interface ListChange<Entry> {
  /** Places of the entries that have left, in the list before. */
  left: number[];
  /** Behind the ones that stay. */
  added: Entry[];
}

/** Absent fields have not changed. */
export interface CheckpointChange extends Partial<Omit<ConversationCheckpoint, "history" | "unreported">> {
  history?: ListChange<LlmMessage>;
  unreported?: ListChange<SessionMessage>;
}

const NOTHING: ConversationCheckpoint = Object.freeze({
  history: [],
  heard: "",
  lines: [],
  lastSeq: 0,
  watchedSeconds: 0,
  unreported: [],
  droppedMessages: 0,
});

/** The change from one checkpoint to the next, which has the same objects as entries; undefined if nothing has changed.
 *  `before`: undefined for the first one. */
export function changeOf(
  before: ConversationCheckpoint | undefined,
  after: ConversationCheckpoint,
): CheckpointChange | undefined {
  const { history, unreported, lines, ...values } = before ?? NOTHING;
  const change: CheckpointChange = {
    ...listChange("history", history, after.history),
    ...listChange("unreported", unreported, after.unreported),
  };
  if (JSON.stringify(lines) !== JSON.stringify(after.lines)) change.lines = after.lines;
  const { heard, lastSeq, watchedSeconds, droppedMessages } = after;
  if (heard !== values.heard) change.heard = heard;
  if (lastSeq !== values.lastSeq) change.lastSeq = lastSeq;
  if (watchedSeconds !== values.watchedSeconds) change.watchedSeconds = watchedSeconds;
  if (droppedMessages !== values.droppedMessages) change.droppedMessages = droppedMessages;
  return Object.keys(change).length > 0 ? change : undefined;
}

/** The checkpoint after a change. */
export function applyChange(
  before: ConversationCheckpoint | undefined,
  { history, unreported, ...values }: CheckpointChange,
): ConversationCheckpoint {
  const known = before ?? NOTHING;
  return {
    ...known,
    ...values,
    history: changed(known.history, history),
    unreported: changed(known.unreported, unreported),
  };
}

function listChange<Name extends string, Entry>(
  name: Name,
  before: readonly Entry[],
  after: readonly Entry[],
): { [Key in Name]?: ListChange<Entry> } {
  const [was, is] = [new Set(before), new Set(after)];
  const left = before.flatMap((entry, place) => (is.has(entry) ? [] : [place]));
  const added = after.filter((entry) => !was.has(entry));
  if (left.length === 0 && added.length === 0) return {};
  return { [name]: { left, added } } as { [Key in Name]?: ListChange<Entry> };
}

function changed<Entry>(before: Entry[], change: ListChange<Entry> | undefined): Entry[] {
  if (!change) return before;
  const left = new Set(change.left);
  return [...before.filter((_, place) => !left.has(place)), ...change.added];
}
