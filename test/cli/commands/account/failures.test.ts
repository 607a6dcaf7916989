// `avatar login`, `logout` and `account` where the service is away, is of another version or is something else, and
// where others may read the file of the sign-in.
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t from "tap";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

/** Nothing listens there. */
const AWAY = "http://127.0.0.1:9";
const NO_SIGN_IN = { AVATAR_API_URL: "", AVATAR_API_SECRET: "", AVATAR_API_KEY: "", DISPLAY: "", BROWSER: "" };

t.test("a service that is away or of another version, and an open file, are told plainly", async (t) => {
  const folder = t.testdir();
  const other = createServer((request, response) => {
    const [status, body] = ANSWERS[request.url ?? ""] ?? [200, "<html>"];
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  other.listen(0, "127.0.0.1");
  t.teardown(() => other.close());
  await once(other, "listening");
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const path = join(folder, "own.json");
  const signed = { api_secret: "s", alias: "cli@desk", user_id: "1", email: "ada@example.test" };
  const write = (address: string) =>
    writeFile(path, JSON.stringify({ version: 1, current: address, services: { [address]: signed } }), { mode: 0o600 });
  await withAvatarCommand(folder, async (command) => {
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await command([...words, "--json"], { ...NO_SIGN_IN, AVATAR_CONFIG_FILE: path });
      return { code, stdout, error: stderr && JSON.parse(stderr).error };
    };
    await write(AWAY);
    const away = { kind: "unavailable", code: "SERVICE_UNREACHABLE", message: /127\.0\.0\.1:9 cannot be reached/ };
    t.match(await run("account"), { code: 69, stdout: "", error: { ...away, hint: /AVATAR_API_URL/ } });
    t.match(await run("login", "--device"), { code: 69, error: { code: "TOKEN_UNVERIFIED" } });
    for (const line of CALLING) {
      const { code, stdout, error } = await run(...line.split(" "));
      t.match({ code, stdout, error }, { code: 69, stdout: "", error: { code: "SERVICE_UNREACHABLE" } }, line);
    }
    const out = await run("logout");
    t.match(JSON.parse(out.stdout), { logged_out: true, revoked: false });
    t.equal(out.code, 0, "a service that is away does not keep anyone signed in");
    t.same(JSON.parse(await readFile(path, "utf8")).services, {});
    await write(AWAY);
    const spoken = await command(["logout"], { ...NO_SIGN_IN, AVATAR_CONFIG_FILE: path });
    t.match(spoken, { code: 0, stdout: /^Signed out/, stderr: /cli@desk is forgotten here but could not be revoked/ });

    await write(url);
    const version = { kind: "unavailable", code: "OTHER_VERSION", hint: /Update the older/ };
    t.match(await run("account"), { code: 69, error: { ...version, message: /another version.*credit_balance/ } });
    t.match(await run("login"), { code: 69, error: { ...version, message: /No endpoint POST/ } });
    ANSWERS["/v1/me"] = [200, "<html>"];
    t.match(await run("account"), { code: 69, error: { code: "NOT_THE_SERVICE" } });
    for (const line of CALLING) {
      const { code, error } = await run(...line.split(" "));
      t.match({ code, error }, { code: 69, error: { code: /^(NOT_THE_SERVICE|OTHER_VERSION)$/ } }, line);
    }

    await chmod(path, 0o644);
    for (const line of ["account", "login", "logout", ...CALLING]) {
      t.match(
        await run(...line.split(" ")),
        { code: 77, error: { code: "CONFIG_FILE_OPEN", hint: /^chmod 600 / } },
        line,
      );
    }
  });
});

/** Commands that call the service. */
const CALLING = [
  "list",
  "list --mine",
  "pull maya",
  "run A00ABC0000 --no-open",
  "render maya --text Hello. -o never.mp4",
  "agents list",
  "agents show A00ABC0000",
  "agents create --prompt Ada",
  "agents prompt A00ABC0000 Ada",
  "agents delete A00ABC0000 --yes",
  "sessions list",
  "sessions show cs_1",
  "sessions end cs_1",
  "speak A00ABC0000 Hello.",
  "speak cs_1 Hello.",
  "talk A00ABC0000",
  "token embed A00ABC0000",
  "token download A00ABC0000",
];

const ANSWERS: Record<string, [number, string]> = {
  "/v1/me": [200, JSON.stringify({ data: { email: "ada@example.test", plan: "pro", account_status: "active" } })],
  "/v1/usage?limit=5": [200, JSON.stringify({ data: [], pagination: { has_more: false } })],
  "/v1/cli/device": [
    404,
    JSON.stringify({ error: { code: "NOT_FOUND", message: "No endpoint POST /v1/cli/device", httpStatus: 404 } }),
  ],
};

t.test("commands of the service say what is missing, before they ask it", async (t) => {
  const AVATAR_CONFIG_FILE = join(t.testdir(), "own.json");
  await withAvatarCommand(t.testdirName, async (command) => {
    const run = async (line: string) => {
      const { code, stdout, stderr } = await command(line.split(" "), { ...NO_SIGN_IN, AVATAR_CONFIG_FILE });
      return { code, stdout, stderr };
    };
    const signedOut = {
      code: 77,
      stdout: "",
      stderr: /You are not signed in\.\navatar login signs you in; scripts set/,
    };
    for (const line of [
      "agents list",
      "agents show A00ABC0000",
      "sessions list",
      "sessions show cs_1",
      "speak A00ABC0000 hello",
      "talk A00ABC0000",
    ])
      t.match(await run(line), signedOut, line);
    t.match(await run("agents create"), { code: 2, stderr: /made of --image, --prompt or both/ });
    t.match(await run("agents list --limit none"), { code: 2, stderr: /--limit must be a whole number from 1 to 200/ });
    t.match(await run("token download A00ABC0000 --visitor v"), { code: 2, stderr: /--visitor is for embed tokens/ });
    t.match(await run("token launch A00ABC0000 --room r"), {
      code: 2,
      stderr: /bound to a room: --room and --livekit-url/,
    });
    t.match(await run("token all A00ABC0000"), { code: 2, stderr: /embed, launch, download/ });
    t.match(await run("talk A00ABC0000 --audio none.wav"), { code: 66, stderr: /none\.wav cannot be opened/ });
    t.match(await run("talk A00ABC0000 --microphone"), { code: 2, stderr: /--microphone needs a terminal/ });
    t.match(await run("login --device --with-token"), { code: 2, stderr: /exclude each other/ });
    t.match(await run("login --url avatars"), { code: 2, stderr: /--url must be the address of a service/ });
  });
});
