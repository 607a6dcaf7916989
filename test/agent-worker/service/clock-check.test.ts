// A worker with a wrong clock is refused by LiveKit and by the api: its log says why.
import t from "tap";
import { ClockCheck } from "../../../agent-worker/service/clock-check.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const HOUR_MS = 3_600_000;

t.test("a clock that is an hour off is named, one that is a few seconds off is not", async (t) => {
  await withIdleApi(async ({ baseUrl }) => {
    const messageWith = async (offsetMs: number, apiUrl = baseUrl): Promise<string | undefined> => {
      const messages: string[] = [];
      let checks = 0;
      const check = new ClockCheck({
        apiUrl,
        now: () => {
          checks += 1;
          return Date.now() + offsetMs;
        },
        logger: {
          error: (_fields: object, message?: string) => void messages.push(message ?? ""),
          debug: (_fields: object, message?: string) => void messages.push(message ?? ""),
        } as never,
      });
      check.start();
      await waitFor(() => checks === 2 || messages.length > 0, "a check");
      await new Promise((resolve) => setImmediate(resolve));
      check.close();
      return messages[0];
    };
    t.match(await messageWith(HOUR_MS), /36\d\d s ahead of the api's/);
    t.match(await messageWith(-HOUR_MS), /3\d\d\d s behind the api's/);
    t.equal(await messageWith(5_000), undefined);
    t.match(await messageWith(0, "http://127.0.0.1:9"), /cannot be reached/);
  });
});
