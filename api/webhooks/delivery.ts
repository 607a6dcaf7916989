// A delivery: one event on its way to one endpoint.
//
// waiting    due at a time; sent when that has come and every earlier delivery of its lane is settled
//              -> delivered  the endpoint answered 2xx
//              -> waiting    for the next retry
//              -> given up   the last retry failed
// delivered, given up   settled. Final.
//
// A process that dies between sending and noting it leaves a delivery waiting: it is sent again, with the same id.

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
  createdAt: Date;
  updatedAt: Date;
}

/** One attempt to send a delivery. */
export interface Attempt {
  number: number;
  /** What the endpoint answered; null when it did not. */
  statusCode: number | null;
  /** Why there was no answer, in words for the endpoint's owner. */
  error: string | null;
  durationMs: number;
  at: Date;
}

/** The id that receivers see, in the header and in the body. It stays the same at every attempt. */
export function publicIdOf(deliveryId: string): string {
  return `evt_${deliveryId}`;
}

/** Whether an answer means that the delivery was taken. */
export function isTaken(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}
