// Verifying webhooks: on deliveries that our own api sends, and on what others might send.
import { createHmac } from "node:crypto";
import t from "tap";
import { Client, WebhookVerificationError, webhooks } from "../../../sdk/client/index.ts";
import { withWebhooks } from "../../helpers/service/with-webhooks.ts";

const MINUTES_MS = 60_000;
const sign = (secret: string, text: string): string =>
  `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;

t.test("deliveries of registered webhooks are verified, and forged, old and broken ones are not", async (t) => {
  await withWebhooks(async ({ api, receiver, secret: apiSecret, publish }) => {
    const client = new Client({ baseUrl: api.baseUrl, apiSecret });
    const { id, secret } = await client.webhooks.create({ url: receiver.url, description: "for the test" });
    t.match(await client.webhooks.test(id), { delivered: true, status_code: 200 });
    await publish({ name: "agent.failed", agentCode: "A00AAA0001", data: { error: "No." } });
    const [ping, failed] = await receiver.untilReceived(2);
    t.match(await client.webhooks.verify(ping.raw, ping.headers, secret), { event: "ping", data: { webhook_id: id } });
    const event = await webhooks.verify(
      failed.raw.toString(),
      new Headers(failed.headers as Record<string, string>),
      secret,
    );
    if ("event" in event && event.event === "agent.failed") t.equal(event.data.error, "No.");
    else t.fail("another event");

    const check = (raw: Buffer | string, headers: typeof ping.headers, given = secret, now = Date.now()) =>
      webhooks.verify(raw, headers, given, { now: () => now });
    const { raw, headers } = failed;
    await t.rejects(check(raw, headers, "whsec_another"), { name: "WebhookVerificationError", reason: "signature" });
    await t.rejects(check(`${raw} `, headers), { name: "WebhookVerificationError", reason: "signature" });
    await t.rejects(check(raw, { ...headers, "x-service-timestamp": "1" }), {
      name: "WebhookVerificationError",
      reason: "signature",
    });
    await t.rejects(check(raw, { ...headers, "x-service-signature": undefined }), {
      name: "WebhookVerificationError",
      reason: "signature",
    });
    await t.rejects(check(raw, { ...headers, "x-service-signature": "sha256=00" }), {
      name: "WebhookVerificationError",
      reason: "signature",
    });
    const sentMs = Number(headers["x-service-timestamp"]) * 1000;
    for (const minutes of [-10, 10]) {
      const late = check(raw, headers, secret, sentMs + minutes * MINUTES_MS);
      await t.rejects(late, { reason: "timestamp", message: /600 s away.*clock/ }, `a clock ${minutes} minutes off`);
      await t.resolves(
        webhooks.verify(raw, headers, secret, { now: () => sentMs + minutes * MINUTES_MS, toleranceSeconds: 601 }),
      );
    }
    for (const minutes of [-4, 4]) await t.resolves(check(raw, headers, secret, sentMs + minutes * MINUTES_MS));
    await t.rejects(check("no JSON", headers), WebhookVerificationError);
    await t.rejects(webhooks.verify(failed.body, headers, secret), /not the parsed JSON/);
    await t.rejects(webhooks.verify(raw, headers, ""), /secret is empty/);
  });
});

t.test("deliveries of the session webhook are verified by either signature", async (t) => {
  await withWebhooks(async ({ api, receiver, secret: apiSecret, userId }) => {
    const client = new Client({ baseUrl: api.baseUrl, apiSecret });
    const { secret } = await client.sessionWebhook.replace(userId, { url: receiver.url });
    if (!secret) throw new Error("a new webhook has a new secret");
    await client.sessionWebhook.test(userId);
    const [{ raw, headers, body }] = await receiver.untilReceived(1);
    t.match(await webhooks.verify(raw, headers, secret), { event_type: "test" });
    const { "x-service-signature-v2": timed, ...older } = headers;
    t.ok(timed);
    t.match(await webhooks.verify(raw, older, secret), { event_type: "test" }, "of a service without the second one");

    const at = (seconds: number) => ({ now: () => (body.timestamp + seconds) * 1000 });
    for (const known of [headers, older]) {
      await t.rejects(webhooks.verify(raw, known, secret, at(600)), {
        name: "WebhookVerificationError",
        reason: "timestamp",
      });
      await t.resolves(webhooks.verify(raw, known, secret, at(200)));
      await t.rejects(webhooks.verify(raw, known, "whsec_another"), {
        name: "WebhookVerificationError",
        reason: "signature",
      });
    }
    const wrong = { ...headers, "x-service-signature-v2": `sha256=${"0".repeat(64)}` };
    await t.rejects(
      webhooks.verify(raw, wrong, secret),
      { name: "WebhookVerificationError", reason: "signature" },
      "the second one is not passed over",
    );
    const timeless = JSON.stringify({ ...body, timestamp: undefined });
    const signed = { "x-service-signature": sign(secret, timeless) };
    await t.rejects(
      webhooks.verify(timeless, signed, secret),
      { name: "WebhookVerificationError", reason: "timestamp" },
      "a body that tells no time",
    );
  });
});
