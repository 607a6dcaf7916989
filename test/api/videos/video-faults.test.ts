import { watch } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { balanceOf } from "../../../api/accounts/credits/ledger.ts";
import { findAgentByCode, updateAgent } from "../../../api/agents/record/agent-store.ts";
import { findVideo } from "../../../api/videos/video-store.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";
import { probeFilm } from "../../helpers/files/probe-film.ts";
import { childPids } from "../../helpers/processes/child-pids.ts";
import { withRecordings } from "../../helpers/servers/with-recordings.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { startApiProcess } from "../../helpers/service/api-process.ts";
import { withApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const GENERATE = "/v1/video/generate";
const CREDITS = 200;
/** The price of a short video with essence-2. */
const MINUTE = 4;
const MADE_MS = 180_000;
/** Stands for an address of the operator's own network. */
const DENIED = "127.0.0.2";
const FETCH_TIMEOUT_MS = 700;
const ENVIRONMENT = {
  AVATAR_ALLOW_PRIVATE_ADDRESSES: "1",
  AVATAR_DENIED_ADDRESSES: DENIED,
  AVATAR_VOICE: "formant",
};

t.setTimeout(400_000);

await t.test("talking videos when something goes wrong", (t) =>
  withRecordings(`http://${DENIED}/inside.wav`, ({ baseUrl, fetched }) =>
    withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ plan: "business", credits: CREDITS });
        const { userId } = account;
        const { database, storage, config } = api.services;
        const code = await addAgent(api.services, { userId });
        await storage.put(`models/${code}-essence-2.imx`, await writeImx(await bakedFace("drawing")));
        const post = (path: string, more: object = {}) => {
          const input = { type: "audio", audio_url: `${baseUrl}${path}` };
          return api.call("POST", GENERATE, { secret, body: { agent_code: code, model: "essence-2", input, ...more } });
        };
        const order = async (path: string, more?: object): Promise<string> => (await post(path, more)).body.job_id;
        const left = async () => (await balanceOf(database, userId)).total;
        const untilEnded = (id: string) =>
          waitFor(
            async () =>
              (await findVideo(database, id))?.status !== "processing" &&
              (await api.call("GET", `/v1/video/${id}`, { secret })).body,
            `the end of ${id}`,
            MADE_MS,
          );

        await t.test(
          "a recording that is slow, endless or leads inside fails its video, which costs nothing",
          async (t) => {
            const faults: [string, RegExp][] = [
              ["/inside", /private|not allowed|denied|refused/i],
              ["/silent", /time|slow|second/i],
              ["/endless.wav", /large|MB|bytes|in time/i],
            ];
            for (const [path, message] of faults) {
              t.match(await untilEnded(await order(path)), { status: "failed", error: { message } }, path);
            }
            t.equal(await left(), CREDITS);
          },
        );

        await t.test("a request that waits is answered after its limit, and the film goes on", async (t) => {
          const { body } = await post("/tone-1.wav", { wait: true });
          t.match(body, { success: true, status: "processing" });
          t.match(await untilEnded(body.job_id), { status: "completed", credits_charged: MINUTE });
        });

        await t.test("a full disk, and a film process that dies, cost another attempt and nothing else", async (t) => {
          const before = await left();
          // The kernel's own full disk, in the place of the first attempt's file.
          const planted: Promise<void>[] = [];
          const watcher = watch(tmpdir(), (_, name) => {
            if (planted.length > 0 || !name?.startsWith("avatar-film-")) return;
            planted.push(symlink("/dev/full", join(tmpdir(), name, "film.mp4.partial")));
          });
          const id = await order("/tone-1.wav?full");
          t.teardown(() => watcher.close());
          t.match(await untilEnded(id), { status: "completed", duration_seconds: 1 });
          t.equal(planted.length, 1);
          watcher.close();
          const killed = await order("/tone-10.wav?killed");
          await waitFor(
            async () => ((await findVideo(database, killed))?.progress ?? 0) > 0,
            "its first frames",
            MADE_MS,
          );
          for (const pid of childPids("film-child")) process.kill(pid, "SIGKILL");
          t.match(await untilEnded(killed), { status: "completed", duration_seconds: 10, credits_charged: MINUTE });
          t.equal(await left(), before - 2 * MINUTE);
        });

        await t.test("a chosen canvas is rendered from the portrait, once for all its films", async (t) => {
          const agent = await findAgentByCode(database, code);
          await updateAgent(database, agent?.id ?? "", { galleryId: "maya" }, new Date(api.clock.now()));
          const made = await untilEnded(await order("/tone-1.wav", { resolution: "416x720" }));
          t.match(made, { status: "completed", width: 416, height: 720 });
          t.notOk(made.warnings, "the portrait is large enough");
          const path = join(t.testdir(), "film.mp4");
          await writeFile(path, Buffer.from(await (await fetch(made.video_url)).arrayBuffer()));
          t.match(await probeFilm(path), { widthPx: 416, heightPx: 720, frames: { length: 25 } });
          const { bundleKey, enlargement } = (await findVideo(database, made.job_id)) ?? {};
          t.ok(bundleKey && (await storage.sizeOf(bundleKey)));
          t.ok(enlargement && enlargement < 1, `${enlargement}`);
          const again = await untilEnded(await order("/tone-1.wav", { resolution: "416x720" }));
          t.match(again, { width: 416, height: 720 });
          t.equal((await findVideo(database, again.job_id))?.bundleKey, null, "it was not baked again");
        });

        await t.test(
          "two processes make several films, each once; one that is killed leaves its film to the other",
          async (t) => {
            const before = await left();
            const start = async () => {
              const databaseUrl = String(api.services.pool.options.connectionString);
              const dataDir = config.disk.dataDir;
              const started = await startApiProcess({ databaseUrl, dataDir, environment: ENVIRONMENT });
              t.teardown(() => started.close());
              return started;
            };
            const other = await start();
            const paths = [1, 2, 3].map((each) => `/tone-1.wav?${each}`);
            const ids = await Promise.all(paths.map((path) => order(path)));
            for (const id of ids) t.match(await untilEnded(id), { status: "completed", duration_seconds: 1 });
            t.same(
              paths.map((path) => fetched.get(path)),
              [1, 1, 1],
            );
            const long = await Promise.all(["/tone-10.wav?a", "/tone-10.wav?b"].map((path) => order(path)));
            const areFilmed = async () =>
              (await Promise.all(long.map((id) => findVideo(database, id)))).every(
                (video) => (video?.progress ?? 0) > 0,
              );
            await waitFor(areFilmed, "both films at once", MADE_MS);
            await other.kill();
            // One that starts looks for jobs of dead processes at once; the others do so every minute.
            await start();
            for (const id of long) t.match(await untilEnded(id), { status: "completed", duration_seconds: 10 });
            t.equal(await left(), before - 5 * MINUTE);
          },
        );

        await t.test("what was baked for films goes with the agent", async (t) => {
          const rows = await database
            .selectFrom("videos")
            .select("bundle_key")
            .where("bundle_key", "is not", null)
            .execute();
          const keys = rows.map(({ bundle_key: key }) => key ?? "");
          t.equal(keys.length, 1);
          await api.call("DELETE", `/v1/agent/${code}`, { secret });
          for (const key of keys) await waitFor(async () => (await storage.sizeOf(key)) === null, `the end of ${key}`);
        });
      },
      {
        environment: ENVIRONMENT,
        policies: { filmNiceness: 0, videos: { waitMs: 100, fetchTimeoutMs: FETCH_TIMEOUT_MS } },
      },
    ),
  ),
);
