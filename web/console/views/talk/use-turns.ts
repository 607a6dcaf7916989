// The turns of a conversation: what the session's process remembers of each, with what this page has measured.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ConversationTurn } from "../../../../sdk/client/index.ts";
import { useConsole } from "../../data/console-context.ts";
import type { TalkState } from "./use-talk-measures.ts";

/** While a conversation goes on, the service is asked again after this time, ms. */
const INTERVAL_MS = 2_500;

export interface TurnRow {
  /** Counts from 1. */
  number: number;
  text: string;
  /** Until it was heard here, ms; undefined if this page has not measured it. */
  heardMs: number | undefined;
  /** Undefined if the service tells nothing of it. */
  known: ConversationTurn | undefined;
}

export interface Turns {
  /** Oldest first. */
  rows: readonly TurnRow[];
  error: unknown;
  retry(): void;
}

export function useTurns({ start, turns: measured, ended }: TalkState): Turns {
  const { client, person } = useConsole();
  const queries = useQueryClient();
  const roomName = start?.roomName;
  const session = useQuery({
    queryKey: ["sessions", "in-room", roomName],
    queryFn: async ({ signal }) => {
      const { items } = await client.sessions.list(person.user_id, { window: "live", limit: 200 }, { signal });
      return items.find(({ room_name }) => room_name === roomName)?.id ?? null;
    },
    enabled: roomName !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : INTERVAL_MS),
  });
  const id = session.data ?? undefined;
  const queryKey = ["talk-turns", id];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<ConversationTurn[]>(queryKey) ?? [];
      const after = known.at(-1)?.number ?? 0;
      const { items } = await client.sessions.listTurns(person.user_id, id ?? "", { after }, { signal });
      return [...known, ...items];
    },
    enabled: id !== undefined && ended === undefined,
    refetchInterval: INTERVAL_MS,
  });
  return {
    rows: rowsOf(query.data ?? [], measured),
    error: ended ? undefined : (query.error ?? session.error),
    retry: () => void query.refetch(),
  };
}

/** Puts what the service knows and what the page has measured of a turn into one row. */
export function rowsOf(known: readonly ConversationTurn[], measured: TalkState["turns"]): TurnRow[] {
  const left = [...measured];
  const rows = known.map((turn): TurnRow => {
    const index = left.findIndex(({ text }) => text === turn.text);
    const [own] = index < 0 ? [] : left.splice(index, 1);
    return { number: 0, text: turn.text, heardMs: own?.soundMs, known: turn };
  });
  // The service is asked a moment later.
  for (const { text, soundMs } of left) rows.push({ number: 0, text, heardMs: soundMs, known: undefined });
  return rows.map((row, index) => ({ ...row, number: index + 1 }));
}
