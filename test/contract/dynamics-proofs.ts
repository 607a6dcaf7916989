// Proofs of the moves of gestures. Real clips are made in `test/api/dynamics`; here they lie in storage already.
import { findAgentByCode } from "../../api/agents/record/agent-store.ts";
import { clipKey } from "../../api/dynamics/dynamics.ts";
import { findDynamics } from "../../api/dynamics/dynamics-store.ts";
import { GESTURE_NAMES } from "../../shared/gesture-names.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { smallAvatar } from "../helpers/faces/small-avatar.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import type { TestApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";
import type { Proof } from "./prove.ts";

const PRICE_CREDITS = 250;
/** A process is started for each run, on a machine that is busy with other tests. */
const MADE_MS = 120_000;

export function dynamicsProofs(api: TestApi): Proof[] {
  const { database, storage } = api.services;
  return [
    {
      rows: ["moves/dynamics-generating", "moves/dynamics-ready", "moves/dynamics-regenerate"],
      title: "gestures are generating once ordered, then ready, and a change makes them anew",
      async prove(t) {
        const { account, secret } = await api.addAccount({ credits: PRICE_CREDITS });
        const code = await addAgent(api.services, { userId: account.userId });
        await storage.put(`models/${code}-essence-2.imx`, await writeImx(await smallAvatar()));
        const agentId = (await findAgentByCode(database, code))?.id ?? "";
        for (const run of [1, 2]) {
          for (const action of GESTURE_NAMES) await storage.put(clipKey(agentId, run, action), Buffer.from("a clip"));
        }
        const get = async () => (await api.call("GET", `/v1/dynamics/${code}`, { secret })).body.data;
        /** Reads the database: polls of the api are limited. */
        const untilReady = async () => {
          const isReady = async () => (await findDynamics(database, agentId))?.status === "ready";
          await waitFor(isReady, "the gestures", MADE_MS);
          return get();
        };
        t.match(await get(), { url: null, status: "ready", agent_id: code, gestures: {} });
        const body = { agent_id: code, duration: 3, model: "quality" };
        const { body: ordered } = await api.call("POST", "/v1/dynamics/generate", { secret, body });
        t.match(ordered, { success: true, message: String, agent_id: code, status: "processing" });
        const first = await untilReady();
        t.match(first, { url: /\.imx/, gestures: { laugh_react: /^http.*\.mp4/ } });
        const change = { dynamics: { enabled: true }, toggle_enabled: true };
        const { body: changed } = await api.call("PUT", `/v1/dynamics/${code}`, { secret, body: change });
        t.match(changed, { success: true, message: String, agent_id: code, regeneration_status: "started" });
        t.not((await untilReady()).gestures.nod, first.gestures.nod);
      },
    },
  ];
}
