// The steps of a caller with an uncertain face in the portrait.
import { readFileSync } from "node:fs";
import t from "tap";
import { balanceOf } from "../../../../api/accounts/credits/ledger.ts";
import { readImx } from "../../../../src/face/imx/read-imx.ts";
import { averageMarks, FACE_MARK_NAMES, marksOfMesh } from "../../../../src/face/portrait/face-marks.ts";
import { untilAgent } from "../../../helpers/service/until-agent.ts";
import { withApi } from "../../../helpers/service/with-api.ts";

const gallery = (name: string) => readFileSync(new URL(`../../../../models/gallery/${name}`, import.meta.url));
/** A drawn robot: its face is detected, but as uncertain. */
const robot = gallery("bolt.png").toString("base64");
const robotPoints = Float32Array.from((JSON.parse(gallery("bolt.points.json").toString()) as number[][]).flat());
const marks = marksOfMesh(robotPoints);

t.test(
  "an agent with an uncertain face waits for marks, refuses invalid ones, and is then generated from them",
  async (t) => {
    await withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ credits: 5000 });
        const other = await api.addAccount();
        const body = { image: robot, agent_id: "robot_1", model: "expression-2", aspect_ratio: "1:1" };
        t.match(await api.call("POST", "/v1/agent/generate", { secret, body }), {
          status: 200,
          body: { success: true },
        });
        const waiting = await untilAgent(api, secret, "robot_1", (agent) => agent.progress >= 0.35);
        t.match(waiting, {
          status: "generating",
          current_step: "awaiting_face_marking",
          progress: 0.35,
          progress_msg: /on the page that GET \/v1\/agent\/robot_1\/face-marks links to, or with PUT/,
          event_type: "face_marking_requested",
          model_status: { "expression-2": { state: "pending" } },
        });

        const look = () => api.call("GET", "/v1/agent/robot_1/face-marks", { secret });
        const { data } = (await look()).body;
        t.match(data, {
          agent_id: "robot_1",
          is_waiting: true,
          width_px: 768,
          height_px: 768,
          image_url: /^http.*expires=\d+/,
        });
        t.same(Object.keys(data.marks).sort(), [...FACE_MARK_NAMES].sort(), "the finder's guess is there to correct");
        t.same(Object.keys(data.where).sort(), [...FACE_MARK_NAMES].sort());
        t.equal((await fetch(data.image_url)).headers.get("content-type"), "image/jpeg");

        const place = (given: unknown, options: object = { secret }) =>
          api.call("PUT", "/v1/agent/robot_1/face-marks", { ...options, body: { marks: given } });
        t.match((await place(undefined)).body.error, { code: "MISSING_PARAM" });
        const { chin: _chin, ...chinless } = marks;
        t.match((await place(chinless)).body.error, { code: "MISSING_PARAM", message: /marks\.chin/ });
        t.match((await place({ ...marks, chin: "low" })).body.error, { code: "VALIDATION_ERROR", httpStatus: 400 });
        const upsideDown = { ...marks, chin: marks.forehead, forehead: marks.chin };
        t.match((await place(upsideDown)).body.error, {
          code: "VALIDATION_ERROR",
          message: /do not form a face: .*below/,
        });
        t.match((await place({ ...marks, chin: { x: 400, y: 3000 } })).body.error.message, /outside the image: chin/);
        const untouched = { code: "VALIDATION_ERROR", message: /as they were suggested.*three taps/ };
        t.match((await place(data.marks)).body.error, untouched, "the guess, sent back");
        const average = averageMarks({ widthPx: 768, heightPx: 768 });
        t.match((await place(average)).body.error, untouched, "an average face in the middle");
        t.match((await place(marks, { secret: other.secret })).body.error, { code: "NOT_FOUND" });
        t.match((await place(marks, {})).body.error, { code: "MISSING_AUTH" });
        t.match(
          (await api.call("POST", "/v1/agent/robot_1/models", { secret, body: { model: "expression-1" } })).body.error,
          {
            code: "AGENT_NOT_READY",
          },
        );
        t.match((await look()).body.data, { is_waiting: true }, "nothing of this ended the waiting");

        const placed = await place(marks);
        t.match(placed, { status: 200, body: { success: true, agent_id: "robot_1" } });
        t.equal((await place(marks)).status, 200, "the same marks again change nothing");
        t.match((await place({ ...marks, chin: { ...marks.chin, y: marks.chin.y + 1 } })).body.error, {
          code: "VALIDATION_ERROR",
          httpStatus: 409,
        });
        const ready = await untilAgent(
          api,
          secret,
          "robot_1",
          ({ status }) => status === "ready" || status === "failed",
        );
        t.match(ready, {
          status: "ready",
          progress: 1,
          current_step: "done",
          supported_models: ["expression-1", "expression-2"],
        });
        t.match((await look()).body.data, { is_waiting: false, marks: { chin: marks.chin } });
        const file = Buffer.from(await (await fetch(ready.model_url)).arrayBuffer());
        const { manifest } = await readImx(file);
        // The region lies around the face that was marked: its middle is a little above the chin.
        const chinY = (marks.chin.y * 512) / 768;
        t.ok(
          manifest.region.y < chinY && manifest.region.y + manifest.region.sizePx > chinY,
          JSON.stringify(manifest.region),
        );
        t.equal((await balanceOf(api.services.database, account.userId)).total, 3000, "paid for once");
      },
      { baker: "real" },
    );
  },
);
