// The rooms of the LiveKit server, and the jobs of the queue.
import type { ReactElement } from "react";
import { Panel } from "../../controls/page.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import type { OperatorOverview } from "../../data/operator-overview.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { NotAll } from "./not-all.tsx";

type Rooms = OperatorOverview["rooms"];
type Room = NonNullable<Rooms>["listed"][number];
type Jobs = OperatorOverview["queue"][number];

export function RoomsPanel({ rooms }: { rooms: Rooms }): ReactElement {
  const { operator } = useTexts();
  const formats = useFormats();
  const columns: Column<Room>[] = [
    { title: operator.roomName, cell: ({ name }) => <span className="long">{name}</span> },
    { title: operator.participants, cell: ({ participants }) => formats.number(participants), isNumber: true },
    { title: operator.publishers, cell: ({ publishers }) => formats.number(publishers), isNumber: true },
    { title: operator.created, cell: ({ created_at: at }) => formats.time(at) },
  ];
  return (
    <Panel title={operator.roomsTitle}>
      {rooms === null && <p className="wrong">{operator.roomsAway}</p>}
      {rooms?.total === 0 && <p>{operator.noRooms}</p>}
      {rooms !== null && rooms.total > 0 && (
        <>
          <Table columns={columns} keyOf={({ name }) => name} label={operator.roomsTitle} rows={rooms.listed} />
          <NotAll listed={rooms.listed.length} total={rooms.total} />
        </>
      )}
    </Panel>
  );
}

export function QueuePanel({ queue }: { queue: readonly Jobs[] }): ReactElement {
  const { operator } = useTexts();
  const formats = useFormats();
  const count = (title: string, name: "waiting" | "delayed" | "running" | "failed"): Column<Jobs> => ({
    title,
    cell: (jobs) => formats.number(jobs[name]),
    isNumber: true,
  });
  const columns: Column<Jobs>[] = [
    { title: operator.job, cell: ({ kind }) => <code>{kind}</code> },
    count(operator.waiting, "waiting"),
    count(operator.delayed, "delayed"),
    count(operator.running, "running"),
    count(operator.failed, "failed"),
    { title: operator.oldest, cell: ({ oldest_seconds: oldest }) => formats.duration(oldest), isNumber: true },
  ];
  return (
    <Panel title={operator.queueTitle}>
      {queue.length === 0 ? (
        <p>{operator.emptyQueue}</p>
      ) : (
        <Table columns={columns} keyOf={({ kind }) => kind} label={operator.queueTitle} rows={queue} />
      )}
    </Panel>
  );
}
