// Proofs of the moves of talking videos. Real films are made in `test/api/videos`; here one lies in storage already.
import { balanceOf, chargeCredits } from "../../api/accounts/credits/ledger.ts";
import { findAgentByCode } from "../../api/agents/record/agent-store.ts";
import { enqueueFilm } from "../../api/videos/making/video-queue.ts";
import { chargeReference, filmKey } from "../../api/videos/video.ts";
import { findVideo, insertVideo, noteFilm } from "../../api/videos/video-store.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import type { TestApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";
import type { Proof } from "./prove.ts";

const STORED_ID = `vid_${"c".repeat(20)}`;
/** Two minutes of essence-2. */
const UPFRONT_CREDITS = 8;

export function videoProofs(api: TestApi): Proof[] {
  const { database, storage, links } = api.services;
  const ended = (id: string) =>
    waitFor(async () => (await findVideo(database, id))?.status !== "processing", `the end of ${id}`, 60_000);

  return [
    {
      rows: ["moves/video-processing", "moves/video-failed"],
      title: "a video is processing once submitted, and one that cannot be made fails and is refunded in full",
      async prove(t) {
        const { account, secret } = await api.addAccount({ credits: UPFRONT_CREDITS });
        const left = async () => (await balanceOf(database, account.userId)).total;
        const code = await addAgent(api.services, { userId: account.userId });
        // Where no server listens.
        const input = { type: "audio", audio_url: "http://127.0.0.1:9/speech.wav" };
        const body = { agent_code: code, model: "essence-2", input };
        const { body: made } = await api.call("POST", "/v1/video/generate", { secret, body });
        t.match(made, { success: true, job_id: /^vid_[0-9a-f]{20}$/, status: "processing" });
        await ended(made.job_id);
        const { body: failed } = await api.call("GET", `/v1/video/${made.job_id}`, { secret });
        t.match(failed, { success: true, job_id: made.job_id, status: "failed", model: "essence-2" });
        t.match(failed.error, { message: /could not be fetched/ });
        t.equal(await left(), UPFRONT_CREDITS);
      },
    },
    {
      rows: ["moves/video-completed"],
      title: "a video is completed with its URL, its length and its charge",
      async prove(t) {
        const { account, secret } = await api.addAccount({ credits: UPFRONT_CREDITS });
        const { userId } = account;
        const code = await addAgent(api.services, { userId });
        const agent = await findAgentByCode(database, code);
        const createdAt = new Date(api.clock.now());
        await storage.put(filmKey(STORED_ID), Buffer.from("a film"));
        await database.transaction().execute(async (transaction) => {
          await insertVideo(transaction, {
            id: STORED_ID,
            userId,
            agentId: agent?.id ?? "",
            agentCode: code,
            createdAt,
            rateCredits: 4,
            family: "essence-2",
            model: "essence-2",
            input: { type: "text", text: "Hello.", voiceId: null },
          });
          await chargeCredits(transaction, {
            account,
            amountCredits: UPFRONT_CREDITS,
            reason: "video",
            reference: chargeReference(STORED_ID),
            agentCode: code,
            at: createdAt,
            links,
          });
          await noteFilm(transaction, STORED_ID, { durationMs: 2_000, hasSubtitles: false });
          await enqueueFilm(transaction, { id: STORED_ID, userId });
        });
        await ended(STORED_ID);
        const { body } = await api.call("GET", `/v1/video/${STORED_ID}`, { secret });
        t.match(body, { status: "completed", video_url: /^http.*\.mp4/, duration_seconds: 2, credits_charged: 4 });
        t.equal((await balanceOf(database, userId)).total, UPFRONT_CREDITS - 4);
      },
    },
  ];
}
