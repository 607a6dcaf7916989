// Servers of the operator's own: each way in which they cannot be used is one sentence.
import t from "tap";
import { startLiveKitServer } from "../../../../cli/start/livekit/livekit-server.ts";
import { startEmbeddedPostgres } from "../../../../cli/start/postgres/embedded-postgres.ts";
import { findFreePort } from "../../../../cli/start/processes/free-port.ts";
import { checkDatabase, checkLiveKit } from "../../../../cli/start/service/given-servers.ts";
import { StartError } from "../../../../cli/start/start-error.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { withLiveKitVersion } from "../../../helpers/livekit/with-livekit-version.ts";

async function problemOf(check: Promise<void>): Promise<string> {
  try {
    await check;
  } catch (error) {
    if (error instanceof StartError) return `${error.message}\n${error.remedy}`;
    throw error;
  }
  return "";
}

t.test("a database is used only if the login works; its password is never shown", async (t) => {
  const server = await startEmbeddedPostgres({ dataDir: await makeDataFolder(t), settings: { fsync: "off" } });
  t.teardown(() => server.stop());
  t.equal(await problemOf(checkDatabase(server.url)), "");

  const absent = new URL(server.url);
  absent.pathname = "/absent";
  t.match(await problemOf(checkDatabase(absent.href)), /the database absent .*does not exist/);

  const wrong = new URL(server.url);
  wrong.password = "sesame";
  const refused = await problemOf(checkDatabase(wrong.href));
  t.match(refused, /password authentication failed/);
  t.notMatch(refused, /sesame/);

  const unreachable = `postgres://a:sesame@127.0.0.1:${await findFreePort()}/b`;
  t.match(await problemOf(checkDatabase(unreachable)), /ECONNREFUSED.*\n.*correct the URL/);
});

t.test("a LiveKit server is used only if it answers, accepts the keys and is new enough", async (t) => {
  const server = await startLiveKitServer({ dataDir: await makeDataFolder(t) });
  t.teardown(() => server.stop());
  t.equal(await problemOf(checkLiveKit(server)), "");
  t.match(await problemOf(checkLiveKit({ ...server, apiSecret: "x".repeat(43) })), /refuses LIVEKIT_API_KEY/);
  const old = await withLiveKitVersion("1.9.11", (other) => problemOf(checkLiveKit(other)));
  t.match(old, /is version 1\.9\.11, and 1\.9\.12 is needed/);
  const url = `ws://127.0.0.1:${await findFreePort()}`;
  t.match(await problemOf(checkLiveKit({ ...server, url })), /no LiveKit server answers there: .*ECONNREFUSED/);
});
