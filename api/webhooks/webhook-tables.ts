// Tables of webhooks, as created by migration 0005.
import type { Generated } from "kysely";
import type { WebhookFamily } from "./webhook-endpoint.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    webhook_endpoints: {
      id: Generated<string>;
      user_id: string;
      family: WebhookFamily;
      url: string;
      /** Of family `registered` an empty list means every event; of family `session` it means none. */
      events: string[];
      description: string | null;
      is_active: Generated<boolean>;
      /** Key of its signatures, encrypted. */
      sealed_secret: Buffer;
      /** The owner's own headers, JSON, encrypted; null for none. */
      sealed_headers: Buffer | null;
      created_at: Date;
      updated_at: Date;
    };
    webhook_deliveries: {
      id: string;
      /** Order of the events. */
      number: Generated<number>;
      endpoint_id: string;
      /** Deliveries of one lane are sent one after another, in order. */
      lane: string;
      event_type: string;
      /** As it is sent, byte for byte, at every attempt. */
      body: string;
      is_test: Generated<boolean>;
      attempts: Generated<number>;
      /** Status of the last attempt; null if there was none. */
      status_code: number | null;
      is_delivered: Generated<boolean>;
      /** Time of the next send, by the database's clock; null once it is delivered or given up. */
      due_at: Date | null;
      created_at: Date;
      updated_at: Date;
    };
    webhook_attempts: {
      delivery_id: string;
      number: number;
      status_code: number | null;
      /** Why there was no answer. */
      error: string | null;
      duration_ms: number;
      at: Date;
    };
  }
}
