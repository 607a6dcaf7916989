// What a self-hosted worker makes of the answers of the service that it names.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { AccountService } from "../../../agent-worker/self-hosted/account-service.ts";

t.test("a model file with a path as its hash is refused", async (t) => {
  let sha256 = "a".repeat(64);
  const server = createServer((_request, response) => {
    const data = { url: "http://127.0.0.1:9/file.imx", model: "essence-2", sha256 };
    response.end(JSON.stringify({ success: true, data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const service = new AccountService({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

  t.match(await service.findModel("secret", "A00AAA0001"), { sha256 });
  sha256 = "../../outside";
  await t.rejects(service.findModel("secret", "A00AAA0001"));
  server.closeAllConnections();
});
