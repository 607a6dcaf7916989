import t from "tap";
import { withPeers } from "../../../../../lab/bench/lip-sync/peers/install-peers.ts";

t.test("the error for an unreachable registry names it and says what to do", { timeout: 240_000 }, async (t) => {
  const before = { ...process.env };
  t.teardown(() => Object.assign(process.env, before));
  // Nothing listens on port 9 of this machine; npm gives up at the first refusal.
  Object.assign(process.env, { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" });
  let wasRun = false;
  await t.rejects(
    withPeers(async () => {
      wasRun = true;
    }),
    { message: /could not be fetched from the npm registry: .*\S/, remedy: /Leave out --peers/ },
  );
  t.notOk(wasRun);
});
