// Deliveries are verified by the Standard Webhooks project's own library, and by the contract's headers as before.
import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import t from "tap";
import type { Received } from "../../helpers/servers/with-webhook-receiver.ts";
import { checkWebhookSignature } from "../../helpers/service/check-webhook-signature.ts";
import { withWebhooks } from "../../helpers/service/with-webhooks.ts";

const verify = ({ headers, raw }: Received, secret: string, body = raw.toString()) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

t.test("a library of Standard Webhooks verifies deliveries of registered webhooks", async (t) => {
  await withWebhooks(async ({ receiver, register, publish }) => {
    const { secret } = await register();
    receiver.reply = () => (receiver.received.length === 1 ? 503 : 200);
    await publish({ name: "agent.ready", agentCode: "A00AAA0001" });
    const [first, second] = await receiver.untilReceived(2);
    t.same(verify(first, secret), first.body);
    t.same(verify(second, secret), first.body);
    t.equal(first.headers["webhook-id"], first.headers["x-service-delivery"]);
    t.equal(second.headers["webhook-id"], first.headers["webhook-id"], "a retry has the same id");
    checkWebhookSignature(t, first, secret);

    const forged = `${first.raw.toString().slice(0, -1)},"x":1}`;
    t.throws(() => verify(first, secret, forged), /No matching signature/);
    t.throws(() => verify(first, `whsec_${randomUUID().replaceAll("-", "")}`), /No matching signature/);
  });
});

t.test("and of session webhooks; an owner's own header of these names stays as it is", async (t) => {
  await withWebhooks(async ({ call, receiver, userId }) => {
    const path = `/v2/${userId}/session-webhook`;
    const { secret } = (await call("PUT", path, { url: receiver.url })).body.data;
    await call("POST", `${path}/test`);
    t.match(verify(receiver.received[0], secret), { event_type: "test" });

    await call("PUT", path, { headers: { "Webhook-Id": "of-the-owner" } });
    await call("POST", `${path}/test`);
    t.equal(receiver.received[1].headers["webhook-id"], "of-the-owner");
  });
});
