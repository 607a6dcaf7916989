// Domain events between nouns, published in the transaction that causes them: they take effect if and only if it is
// committed. Publishers do not depend on their listeners.
import type { Transaction } from "kysely";
import type { Tables } from "../database/database.ts";

/** Payloads by event name. Nouns add theirs by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by the nouns
export interface DomainEvents {}

export type EventName = keyof DomainEvents;

export type EventListener<Name extends EventName> = (
  transaction: Transaction<Tables>,
  event: DomainEvents[Name],
) => Promise<void>;

export interface Events {
  /** Calls every listener. If one throws, the caller's transaction fails. */
  publish<Name extends EventName>(
    transaction: Transaction<Tables>,
    name: Name,
    event: DomainEvents[Name],
  ): Promise<void>;
  /** Adds a listener; to be called while the api is built. */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): void;
}

export function createEvents(): Events {
  const listeners = new Map<EventName, EventListener<EventName>[]>();
  return {
    async publish(transaction, name, event) {
      for (const listener of listeners.get(name) ?? []) await listener(transaction, event);
    },
    on(name, listener) {
      // `publish` gives each listener the event of its own name.
      listeners.set(name, [...(listeners.get(name) ?? []), listener as EventListener<EventName>]);
    },
  };
}
