// The example registers itself, and accepts what the service delivers and nothing else.
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { type ExampleCheck, expect } from "./example-check.ts";

export const checkWebhookReceiver: ExampleCheck = {
  example: "webhook-receiver",
  async check({ project, environment }) {
    const PORT = String(await findFreePort());
    const server = project.start("npm", ["start"], { ...environment, PORT });
    const [url] = await server.printed(/(?<=Receiving at )http\S+/);
    await server.printed(/^ping /m);
    const forged = await fetch(url, { method: "POST", body: '{"event": "agent.ready", "data": {}}' });
    expect(forged.status === 401, `a forged delivery is answered ${forged.status}`);
  },
};
