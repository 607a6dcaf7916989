// `avatar doctor`: what it says of a computer in every state, and of this one.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { CLIENT_CHECKS, type ClientMachine, checkClient } from "../../../../cli/commands/doctor/check-client.ts";
import { describeChecks } from "../../../../cli/commands/doctor/describe-checks.ts";
import { doctorShape } from "../../../../cli/commands/doctor/shapes.ts";
import { readCommand } from "../../../helpers/service/read-command.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

const parts = CLIENT_CHECKS.map((check) => [check, async () => `${check} is there`] as const);
const COMPLETE = Object.fromEntries(parts) as ClientMachine;
const isGone = async () => {
  throw new Error("it is not there");
};

t.test("each missing part is named with what to do; a service is needed by those who are signed in", async (t) => {
  t.ok((await checkClient(COMPLETE)).every(({ state, remedy }) => state === "ok" && remedy === undefined));
  for (const check of CLIENT_CHECKS) {
    const found = await checkClient({ ...COMPLETE, [check]: isGone });
    const missing = found.filter(({ state }) => state === "missing");
    t.match(missing, [{ check, found: "it is not there", remedy: /\w/ }]);
    const isNeeded = ["node", "simd", "renderer", "films", "cache", "service"].includes(check);
    t.equal(missing[0].needed, isNeeded, check);
  }
  const alone = await checkClient({ ...COMPLETE, "sign-in": isGone, service: isGone });
  t.notOk(alone.some(({ state, needed }) => state === "missing" && needed));
});

t.test("lines fit the terminal", async (t) => {
  const checks = (await checkClient({ ...COMPLETE, films: isGone })).map((part) => ({ name: part.check, ...part }));
  for (const columns of [40, 60, 200]) {
    const lines = describeChecks(checks, columns).split("\n");
    t.ok(
      lines.every(({ length }) => length <= Math.min(columns, 100)),
      `${columns}: ${Math.max(...lines.map(({ length }) => length))}`,
    );
  }
});

t.test("this computer: as one object, and exit code 69 if something needed is missing", async (t) => {
  const folder = t.testdir();
  await writeFile(join(folder, "file"), "");
  const environment = {
    AVATAR_CACHE_DIR: join(folder, "cache"),
    AVATAR_CONFIG_FILE: join(folder, "credentials.json"),
    AVATAR_API_URL: "http://127.0.0.1:9",
    AVATAR_API_SECRET: "",
    AVATAR_API_KEY: "",
  };
  await withAvatarCommand(folder, async (command) => {
    const ready = await command(["doctor", "--json"], environment);
    t.equal(ready.code, 0, ready.stderr + ready.stdout);
    const { checks } = readCommand(doctorShape, ready.stdout);
    t.match(Object.fromEntries(checks.map(({ check, state }) => [check, state])), {
      node: "ok",
      simd: "ok",
      renderer: "ok",
      films: "ok",
      cache: "ok",
      "sign-in": "missing",
      service: "missing",
    });
    const closed = await command(["doctor", "--json"], { ...environment, AVATAR_CACHE_DIR: join(folder, "file", "x") });
    t.equal(closed.code, 69);
    t.match(JSON.parse(closed.stdout), { ready: false });
    t.match(JSON.parse(closed.stderr), { error: { kind: "unavailable", message: /cache/ } });
    const signedIn = await command(["doctor"], { ...environment, AVATAR_API_SECRET: "secret" });
    t.equal(signedIn.code, 69, "a service that is away matters to those who are signed in");
    t.match(signedIn.stdout, /missing +service +http:\/\/127\.0\.0\.1:9 cannot be reached/);
    t.notMatch(signedIn.stdout, /: secret/);
  });
});
