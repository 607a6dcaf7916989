// Mood and manner of an agent's face: on its creation, by a change, and by a launch.
import t from "tap";
import { withSessions } from "../../../helpers/service/with-sessions.ts";

t.test("an agent has a mood and a manner, and a launch may name others", async (t) => {
  await withSessions({ credits: 100_000 }, async ({ api, secret, agentCode, launch, goLive }) => {
    const change = (body: object) => api.call("POST", `/v1/agent/${agentCode}`, { secret, body });
    const view = async (code = agentCode) => (await api.call("GET", `/v1/agent/${code}`, { secret })).body.data;
    const faceOf = async (roomName: string, changes = {}) => {
      await launch(roomName, changes);
      const { id, token } = await goLive(roomName);
      const { body } = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer: token });
      return [body.emotion, body.manner];
    };
    t.match(await view(), { emotion: null, manner: null });
    t.same(await faceOf("plain"), [undefined, undefined]);
    t.equal((await change({ emotion: "content:0.5", manner: "animated" })).status, 200);
    t.match(await view(), { emotion: "content:0.5", manner: "animated" });
    t.same(await faceOf("own"), ["content:0.5", "animated"]);
    t.same(await faceOf("named", { manner: "still", emotion: "neutral" }), ["neutral", "still"]);
    t.equal((await change({ name: "Nova" })).status, 200);
    t.match(await view(), { emotion: "content:0.5", manner: "animated" }, "what is absent stays");
    t.equal((await change({ emotion: null })).status, 200);
    t.match(await view(), { emotion: null, manner: "animated" }, "null clears");
    t.equal((await change({ manner: null })).status, 200);
    t.match(await view(), { emotion: null, manner: null });

    const names = /emotion.*neutral, happy, sad, angry, surprised, afraid, disgusted, content/;
    for (const emotion of ["joy", "", "happy:1.2", "happy:NaN"]) {
      for (const refused of [change({ emotion }), launch("refused", { emotion })]) {
        t.match(await refused, { status: 400, body: { error: { code: "VALIDATION_ERROR", message: names } } });
      }
    }
    for (const refused of [change({ manner: "wild" }), launch("refused", { manner: "wild" })]) {
      t.match(await refused, { status: 400, body: { error: { message: /manner.*still, natural, animated/ } } });
    }
    const body = {
      prompt: "A guide.",
      model: "essence-2",
      agent_id: "made-happy",
      emotion: "happy:0.3",
      manner: "still",
    };
    t.match(await api.call("POST", "/v1/agent/generate", { secret, body }), { status: 200 });
    t.match(await view("made-happy"), { emotion: "happy:0.3", manner: "still" });
  });
});
