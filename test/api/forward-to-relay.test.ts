// Requests for the relay that reach the api behind the front of the start command.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { createRelayForward, isForRelay } from "../../api/forward-to-relay.ts";

t.test("the relay's paths are told from the api's", async (t) => {
  for (const path of ["/v1/realtime", "/v1/realtime?model=x", "/v1/realtime/", "/v1/realtime/connect"]) {
    t.ok(isForRelay(path), path);
  }
  for (const path of ["/v1/realtime/ephemeral-token", "/v1/realtimes", "/v1/runtime/realtime/calls"]) {
    t.notOk(isForRelay(path), path);
  }
});

t.test("without a relay, pages of other sites can read that it is away", async (t) => {
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const forward = createRelayForward((gone.address() as AddressInfo).port);
  gone.close();
  await once(gone, "close");
  const api = createServer(forward).listen(0, "127.0.0.1");
  await once(api, "listening");
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/v1/realtime/connect`;
  const answer = await fetch(url, { method: "POST", body: "v=0" });
  t.equal(answer.status, 503);
  t.match(answer.headers.get("retry-after"), /^\d+$/);
  t.equal(answer.headers.get("access-control-allow-origin"), "*");
  t.match(answer.headers.get("access-control-expose-headers"), /Retry-After/);
  t.match(await answer.json(), { error: { code: "SERVICE_UNAVAILABLE" }, status_code: 503 });
  api.close();
});
