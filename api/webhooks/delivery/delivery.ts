// A delivery: one event on its way to one endpoint.
//
// waiting    sent once its due time has come and every earlier delivery of its lane is settled
//              -> delivered  the endpoint answered 2xx
//              -> waiting    for the next retry
//              -> given up   the last retry failed
// delivered, given up   settled. Final.
//
// A process that dies between a send and its record leaves the delivery waiting: it is sent again, with the same id.

export interface Delivery {
  id: string;
  endpointId: string;
  lane: string;
  eventType: string;
  body: string;
  isTest: boolean;
  attempts: number;
  statusCode: number | null;
  isDelivered: boolean;
  /** When it is sent next, by the database's clock; null once it is settled. */
  dueAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** How an attempt to send a delivery ended. */
export interface Sent {
  /** Status of the answer; null if there was none. */
  statusCode: number | null;
  /** Why there was no answer, for the endpoint's owner to read. */
  error: string | null;
  durationMs: number;
  at: Date;
}

/** One attempt to send a delivery. */
export interface Attempt extends Sent {
  number: number;
}

/** The id in header and body of a delivery. It is the same at every attempt. */
export function publicIdOf(deliveryId: string): string {
  return `evt_${deliveryId}`;
}

/** Whether an answer means that the delivery was accepted. */
export function isTaken(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}
