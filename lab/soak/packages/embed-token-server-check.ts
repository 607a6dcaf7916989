// A visitor of the example's page gets a token with which the service shows the embed page.
import { type ExampleCheck, expect } from "./example-check.ts";

export const checkEmbedTokenServer: ExampleCheck = {
  example: "embed-token-server",
  async check({ project, environment, service }) {
    const AGENT_CODE = service.agentCode;
    const server = project.start("npm", ["start"], { ...environment, AGENT_CODE, PORT: "0" });
    const [url] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
    const page = await (await fetch(url)).text();
    expect(!page.includes(service.apiSecret), "the page has the API secret");
    const visit = await fetch(`${url}/token`, { method: "POST" });
    const answer = await visit.json();
    expect(visit.status === 200, `no token: ${JSON.stringify(answer)}`);
    const embed = await fetch(answer.url);
    expect(embed.ok, `the embed page answers ${embed.status}`);
  },
};
