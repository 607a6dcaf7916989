// `avatar agents`, `token`, `sessions` and `speak` with a real service and a LiveKit server.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import t from "tap";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";
import { withSessions } from "../../../helpers/service/with-sessions.ts";

const ASTRONAUT = fileURLToPath(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));
const PROFILE = fileURLToPath(new URL("../../../fixtures/portraits/cartoon.png", import.meta.url));
const AVATAR = fileURLToPath(new URL("../../../../cli/avatar.mjs", import.meta.url));

t.test("agents are made, shown, changed and deleted; their sessions are listed, spoken in and ended", async (t) => {
  const folder = t.testdir();
  await withSessions({ credits: 5000 }, async ({ api, secret, agentCode, goLive }) => {
    const environment = { AVATAR_API_URL: api.baseUrl, AVATAR_API_SECRET: secret };
    await withAvatarCommand(folder, async (command) => {
      const run = (...words: string[]) => command(words, environment);
      const json = async (...words: string[]) => {
        const { code, stdout, stderr } = await run(...words, "--json");
        t.equal(code, 0, `${words.join(" ")}: ${stderr}`);
        return JSON.parse(stdout);
      };

      const made = await json("agents", "create", "--image", ASTRONAUT, "--prompt", "You are Ada.", "--name", "Ada");
      t.match(made, { status: "ready", name: "Ada", model: "essence-2" });
      const ordered = await run("agents", "create", "--prompt", "You are Bob.", "--no-wait");
      t.match(
        ordered,
        { code: 0, stdout: /^\S+\n$/, stderr: /It is being made: avatar agents show/ },
        "the code alone",
      );
      const { agents, has_more } = await json("agents", "list", "--search", "Ada");
      t.match([agents.length, has_more, agents[0].code], [1, false, made.code]);
      t.match((await run("agents", "list")).stdout, new RegExp(`${made.code} +Ada +ready +essence-2`));
      t.match(await json("agents", "show", made.code), { code: made.code, system_prompt: "You are Ada." });
      t.match((await run("agents", "show", made.code)).stdout, /^Ada \(\S+\)\nStatus {4}ready\nModel {5}essence-2/);
      t.equal((await run("agents", "prompt", made.code)).stdout, "You are Ada.\n");
      t.match(await json("agents", "prompt", made.code, "You sell bowls."), { updated: true });
      t.match(await json("agents", "prompt", made.code), { system_prompt: "You sell bowls.", updated: false });

      const unsure = { code: 2, stderr: /deleted for good\.\n--yes does it without asking/ };
      t.match(await run("agents", "delete", made.code), unsure, "without a terminal it does not ask");
      t.match(await json("agents", "delete", made.code, "--yes"), { code: made.code, deleted: true });
      const refused = { kind: "no_input", code: "NOT_FOUND", message: /Agent not found/ };
      for (const words of [["show"], ["prompt"], ["delete", "--yes"]]) {
        const { code, stderr } = await run("agents", words[0], made.code, ...words.slice(1), "--json");
        t.equal(code, 66);
        t.match(JSON.parse(stderr).error, { ...refused, command: "agents" });
      }
      t.match(await run("agents", "create", "--image", "none.png"), { code: 66, stderr: /there is no such file/ });
      t.match(await run("agents", "create", "--image", PROFILE, "--model", "gold"), { code: 1, stderr: /gold/ });

      const room = ["--room", "room-2", "--livekit-url", "wss://rooms.example"];
      for (const words of [
        ["embed", agentCode],
        ["launch", agentCode, ...room],
        ["download", agentCode],
      ]) {
        const { token } = await json("token", ...words);
        t.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/, words[0]);
        t.match((await run("token", ...words)).stdout, /^\S+\n$/, "the token alone");
      }
      t.match(await json("token", "embed", agentCode, "--visitor", "v1"), { kind: "embed", expires_at: null });

      t.match(await run("speak", agentCode, "Hello"), { code: 66, stderr: /No active rooms found/ });
      const { id, worker } = await goLive("room-1");
      t.match(await json("speak", agentCode, "Hello"), { delivered_to_rooms: 1, rooms: ["room-1"] });
      t.equal((await run("speak", id, "Again")).stdout, "It is said in one room.\n");
      t.match(
        worker.calls.map(({ payload }) => payload),
        [{ message: "Hello" }, { message: "Again" }],
      );
      const piped = spawn(process.execPath, [AVATAR, "speak", id, "-"], { env: { ...process.env, ...environment } });
      piped.stdin.end("From a pipe.\n");
      t.equal(await text(piped.stdout), "It is said in one room.\n");
      t.match(worker.calls.at(-1), { payload: { message: "From a pipe." } });
      // On a busy machine the stand-in of a worker is idle by now.
      const { sessions } = await json("sessions", "list", "--window", "live", "--agent", agentCode);
      t.match(sessions, [{ id, agent_code: agentCode, room_name: "room-1" }]);
      t.match((await run("sessions", "list")).stdout, new RegExp(`${id} +Test agent +(live|idle)`));
      t.match(await json("sessions", "show", id), { session_id: id, ended: null, messages: [] });
      t.match((await run("sessions", "show", id)).stdout, /^cs_\S+, \S+, 20.* UTC, running\n\nNothing that was said/);
      t.match(await json("sessions", "end", id), { session_id: id });
      t.match(await run("sessions", "show", "cs_none"), { code: 66 });
      t.match(await json("sessions", "list", "--window", "live"), { sessions: [], has_more: false });
    });
  });
});
