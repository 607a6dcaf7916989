// Exchanged, minted and embed tokens over REST, on an api without a LiveKit server.
import t from "tap";
import { addAgent } from "../../../helpers/add-agent.ts";
import { withApi } from "../../../helpers/with-api.ts";

t.test("only livekit_url may name our own LiveKit server when its address is private", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    const agentCode = await addAgent(api.services, { userId: account.userId });
    const ownServer = new URL(api.services.livekit.url);
    const body = { agent_code: agentCode, scope: "livekit-cloud", room_name: "r", livekit_url: ownServer.href };
    const minted = await api.call("POST", "/v1/runtime-tokens/mint", { secret, body });
    t.equal(minted.status, 200);
    const port = Number(ownServer.port);
    const elsewhere = { ...body, livekit_url: `ws://127.0.0.1:${port + 1}` };
    t.equal((await api.call("POST", "/v1/runtime-tokens/mint", { secret, body: elsewhere })).status, 400);
    const refusals = [
      ["/v1/agent/generate", { model: "essence-2", image: `http://127.0.0.1:${port}/face.png` }],
      ["/v1/webhooks", { url: `https://127.0.0.1:${port}/hook` }],
      ["/v1/files/upload", { file_url: `http://localhost:${port}/a.png`, file_type: "image" }],
    ] as const;
    for (const [path, fields] of refusals) {
      const answer = await api.call("POST", path, { secret, body: fields });
      t.match(answer, { status: 400, body: { error: { message: /private address/ } } }, path);
    }
  });
});
