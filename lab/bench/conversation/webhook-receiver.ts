// Receives an account's `chat.push` events.
import { z } from "zod";
import { type LoopbackServer, startLoopbackServer } from "../../../cli/conversation/loopback-server.ts";
import type { DrivenService } from "../service/own-service.ts";

export interface PushedMessage {
  role: "user" | "assistant";
  message: string;
  sessionId: string;
}

const eventSchema = z.object({
  event_type: z.literal("chat.push"),
  data: z.object({ role: z.enum(["user", "assistant"]), message: z.string(), session_id: z.string() }),
});

export class WebhookReceiver {
  /** In the order of their arrival. */
  readonly pushed: PushedMessage[] = [];
  #server: LoopbackServer | undefined;

  /** Starts it and makes it the session webhook of the account. Throws Error if the service refuses. */
  static async start({ client, apiSecret }: DrivenService, userId: string): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server = await startLoopbackServer(({ text }, response) => {
      const { success, data } = eventSchema.safeParse(JSON.parse(text));
      if (success) {
        const { role, message, session_id: sessionId } = data.data;
        receiver.pushed.push({ role, message, sessionId });
      }
      response.writeHead(200).end();
    });
    const answer = await fetch(`${client.baseUrl}/v2/${userId}/session-webhook`, {
      method: "PUT",
      headers: { "api-secret": apiSecret, "content-type": "application/json" },
      body: JSON.stringify({ url: `${receiver.#server.url}/hook`, events: { "chat.push": true }, active: true }),
    });
    if (answer.ok) return receiver;
    await receiver.close();
    throw new Error(`the webhook was refused: ${answer.status} ${(await answer.text()).slice(0, 200)}`);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#server?.close();
  }
}
