// An account with webhooks on a real api, and a real receiver of deliveries, for the length of a callback.
import { type AccountEvent, publishAccountEvent } from "../../../api/webhooks/publish-event.ts";
import type { DeliveryPolicies } from "../../../api/webhooks/webhook-endpoint.ts";
import { type WebhookReceiver, withWebhookReceiver } from "../servers/with-webhook-receiver.ts";
import { type TestAnswer, type TestApi, withApi } from "./with-api.ts";

/** The contract's number of retries, with short delays. */
export const QUICK: DeliveryPolicies = {
  registered: { timeoutMs: 1_500, retryDelaysMs: [60, 120, 240] },
  session: { timeoutMs: 1_500, retryDelaysMs: [60, 120, 240] },
};
export const ALLOW_LOOPBACK = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };

export interface WebhookStage {
  api: TestApi;
  receiver: WebhookReceiver;
  userId: string;
  secret: string;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  register(body?: object): Promise<{ id: string; secret: string }>;
  /** Publishes events in one transaction. */
  publish(...events: Pick<AccountEvent, "name" | "agentCode" | "data">[]): Promise<void>;
  deliveriesOf(id: string): Promise<TestAnswer["body"][]>;
}

/** Gives `work` the stage; deliveries retry by `policy`. */
export function withWebhooks(work: (stage: WebhookStage) => Promise<void>, policy = QUICK): Promise<void> {
  return withWebhookReceiver((receiver) =>
    withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ credits: 1000 });
        const { userId } = account;
        const call: WebhookStage["call"] = (method, path, body) => api.call(method, path, { secret, body });
        await work({
          api,
          receiver,
          userId,
          secret,
          call,
          async register(body = {}) {
            const answer = await call("POST", "/v1/webhooks", { url: receiver.url, ...body });
            if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
            return answer.body.data;
          },
          publish: (...events) =>
            api.services.database.transaction().execute(async (transaction) => {
              for (const event of events) await publishAccountEvent(transaction, { ...event, userId, at: new Date() });
            }),
          deliveriesOf: async (id) => (await call("GET", `/v1/webhooks/${id}/deliveries`)).body.data,
        });
      },
      { environment: ALLOW_LOOPBACK, policies: { webhooks: policy } },
    ),
  );
}
