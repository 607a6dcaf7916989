// The faults of a fleet, each injected for real.
import { type Fleet, readWorker } from "./fleet.ts";

export interface FleetFaultKind {
  name: string;
  /** What is done, for the table. */
  what: string;
  /** Longest time that a session may be away, ms; 0 if viewers may notice nothing. */
  awayMs: number;
  /** Injects it. Resolves when it has happened, with what repairs it. */
  inject(fleet: Fleet): Promise<() => Promise<void>>;
}

/** As `npm run chaos` expects it of one machine. */
const WORKER_AWAY_MS = 10_000;
/** LiveKit gives the rooms of a dead node to another one after 5 s, and clients need some attempts to join it. */
const NODE_AWAY_MS = 20_000;

/** For comparison. */
export const NO_FAULT: FleetFaultKind = {
  name: "none",
  what: "no fault",
  awayMs: 0,
  inject: async () => async () => {},
};

export const FLEET_FAULTS: readonly FleetFaultKind[] = [
  {
    name: "api",
    what: "one api process killed",
    awayMs: 0,
    async inject(fleet) {
      await fleet.apis[0].process.kill();
      return () => fleet.startApi(0);
    },
  },
  {
    name: "redis",
    what: "Redis killed and started again",
    awayMs: 0,
    async inject(fleet) {
      await fleet.redis.restart();
      return async () => {};
    },
  },
  {
    name: "worker",
    what: "the worker with most sessions killed",
    awayMs: WORKER_AWAY_MS,
    async inject(fleet) {
      const states = await Promise.all(fleet.workers.map(readWorker));
      const most = Math.max(...states.map(({ activeSessions }) => activeSessions));
      const index = states.findIndex(({ activeSessions }) => activeSessions === most);
      await fleet.workers[index].process.kill();
      return () => fleet.startWorker(index);
    },
  },
  {
    name: "node",
    what: "one LiveKit node killed",
    awayMs: NODE_AWAY_MS,
    async inject(fleet) {
      const node = fleet.nodes[0];
      await node.kill();
      return () => node.start();
    },
  },
];
