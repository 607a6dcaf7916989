// Recordings of films: a server that does not send one holds up no film of another account.
import t from "tap";
import { balanceOf } from "../../../../api/accounts/credits/ledger.ts";
import { enqueueFilm } from "../../../../api/videos/making/video-queue.ts";
import { recordingKey } from "../../../../api/videos/video.ts";
import { findVideo, insertVideo } from "../../../../api/videos/video-store.ts";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { withRecordings } from "../../../helpers/servers/with-recordings.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const CREDITS = 200;
const MADE_MS = 180_000;
/** Longer than a film of a second takes, so that films behind it would show. */
const FETCH_TIMEOUT_MS = 60_000;

t.setTimeout(300_000);

await t.test("films and their recordings", (t) =>
  withRecordings("http://127.0.0.1:9/", ({ baseUrl, fetched }) =>
    withApi(
      async (api) => {
        const { database, storage } = api.services;
        const join = async () => {
          const { account, secret } = await api.addAccount({ plan: "business", credits: CREDITS });
          const code = await addAgent(api.services, { userId: account.userId });
          await storage.put(`models/${code}-essence-2.imx`, await writeImx(await bakedFace("drawing")));
          const order = async (path: string, emotion?: string): Promise<string> => {
            const input = { type: "audio", audio_url: `${baseUrl}${path}`, emotion };
            const body = { agent_code: code, model: "essence-2", input };
            return (await api.call("POST", "/v1/video/generate", { secret, body })).body.job_id;
          };
          return { userId: account.userId, secret, code, order };
        };
        const untilEnded = (id: string) =>
          waitFor(
            async () => {
              const video = await findVideo(database, id);
              return video && video.status !== "processing" && video;
            },
            `the end of ${id}`,
            MADE_MS,
          );
        const [ada, bob] = [await join(), await join()];

        await t.test("one that does not come takes no place of a film", async (t) => {
          const stalled = await Promise.all([1, 2, 3, 4].map(() => ada.order("/silent", "sad:0.4")));
          await waitFor(() => (fetched.get("/silent") ?? 0) >= 2, "the downloads");
          const id = await bob.order("/tone-1.wav", "happy");
          t.match(await untilEnded(id), { status: "completed" });
          const expected = { status: "processing", input: { type: "audio", emotion: "sad:0.4" } };
          t.match(await findVideo(database, stalled[3]), expected);
          t.equal(fetched.get("/silent"), 2, "two downloads of an account at a time");
          await waitFor(async () => (await storage.sizeOf(recordingKey(id))) === null, "the recording is deleted");
        });

        await t.test("an order of an earlier version fetches its recording first, too", async (t) => {
          const id = "vid_00000000000000000001";
          const agent = await database
            .selectFrom("agents")
            .select("id")
            .where("code", "=", bob.code)
            .executeTakeFirst();
          await database.transaction().execute(async (transaction) => {
            await insertVideo(transaction, {
              id,
              userId: bob.userId,
              agentId: agent?.id ?? "",
              agentCode: bob.code,
              family: "essence-2",
              model: "essence-2",
              rateCredits: 4,
              createdAt: new Date(),
              input: { type: "audio", url: `${baseUrl}/missing` },
            });
            await enqueueFilm(transaction, { id, userId: bob.userId });
          });
          t.match(await untilEnded(id), { status: "failed", errorMessage: /404/ });
          t.equal(fetched.get("/missing"), 1);
        });

        await t.test("one that fails costs nothing, once, and leaves nothing", async (t) => {
          const left = async () => (await balanceOf(database, bob.userId)).total;
          const before = await left();
          const id = await bob.order("/absent");
          t.match(await untilEnded(id), { status: "failed", errorMessage: /404/ });
          t.equal(fetched.get("/absent"), 1, "it is not fetched again");
          t.equal(await left(), before);
          t.equal(await storage.sizeOf(recordingKey(id)), null);
        });
      },
      {
        environment: { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1", AVATAR_VOICE: "formant" },
        policies: { filmNiceness: 0, videos: { fetchTimeoutMs: FETCH_TIMEOUT_MS } },
      },
    ),
  ),
);
