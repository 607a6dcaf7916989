// Receives what the service reports: agents and videos that are made, and messages of conversations.
import { createServer } from "node:http";
import { Client, WebhookVerificationError, webhooks } from "@open-avatar/client";

const MAX_BODY_BYTES = 1_000_000;
const port = Number(process.env.PORT ?? 3001);
/** Where the service reaches this server. */
const url = process.env.WEBHOOK_URL ?? `http://127.0.0.1:${port}/hook`;

/** The body as it arrived: its signature covers these bytes. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new RangeError("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function handle(event) {
  if ("event_type" in event) console.log(event.event_type, JSON.stringify(event.data));
  else if (event.event === "agent.ready") console.log(`agent.ready ${event.data.agent_id}`);
  else console.log(event.event, JSON.stringify(event.data));
}

let secret = process.env.WEBHOOK_SECRET;

const server = createServer(async (request, response) => {
  try {
    handle(await webhooks.verify(await readBody(request), request.headers, secret));
    response.writeHead(204).end();
  } catch (error) {
    // The service tries again after any other answer than 2xx.
    console.error(error.message);
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
});

server.listen(port, "127.0.0.1", async () => {
  if (!secret) {
    const client = new Client();
    const made = await client.webhooks.create({ url, description: "webhook-receiver" });
    secret = made.secret;
    console.log(`Registered. Next time: WEBHOOK_SECRET=${secret}`);
    await client.webhooks.test(made.id);
  }
  console.log(`Receiving at ${url}`);
});
