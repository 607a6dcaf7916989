// `avatar mcp` as assistants start it: a process on standard input and output, with the real api behind it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { mcpToolsShape } from "../../../../cli/commands/mcp/shapes.ts";
import { isRunning } from "../../../../cli/start/processes/process-identity.ts";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { smallAvatar } from "../../../helpers/faces/small-avatar.ts";
import { withWebhookReceiver } from "../../../helpers/servers/with-webhook-receiver.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { connectStdio, GENERATIONS, type ServerProcess } from "../../../helpers/service/connect-assistant.ts";
import { type TestApi, withIdleApi } from "../../../helpers/service/with-api.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";
import { waitFor, within } from "../../../helpers/wait-for.ts";

const AVATAR = fileURLToPath(new URL("../../../../cli/avatar.mjs", import.meta.url));
const LOCAL = ["version", "doctor", "inspect_model", "list_showcase", "pull", "render", "show_face_speaking"];
const HELLO = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

await t.test("avatar mcp", (t) =>
  withIdleApi(
    async (api) => {
      const stage = await openStage(t, api);
      await t.test("serves every generation the tools of the service and of this computer", (t) => serves(t, stage));
      await t.test("files stay below the folder", (t) => filesStay(t, stage));
      await t.test("broken messages, many calls at once, and a client that vanishes", (t) => raw(t, stage));
      await t.test("without credentials, and with a service that is away", (t) => noService(t, stage));
    },
    { environment: { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" } },
  ),
);

t.test("avatar mcp tools prints a table, or one object with schemas", (t) =>
  withAvatarCommand(t.testdir(), async (run) => {
    const table = await run(["mcp", "tools"]);
    t.equal(table.code, 0);
    t.match(table.stdout, /delete_agent +deletes/);
    const { schema_version, ...printed } = JSON.parse((await run(["mcp", "tools", "--json"])).stdout);
    t.equal(schema_version, 1);
    const { tools } = mcpToolsShape.parse(printed);
    for (const name of LOCAL) {
      t.match(
        tools.find((tool: { name: string }) => tool.name === name),
        { inputSchema: { type: "object" }, outputSchema: { type: "object" }, annotations: {} },
        name,
      );
    }
    t.match(await run(["mcp", "--root", "none"]), { code: 66, stderr: /no folder/ });
    t.match(await run(["mcp"], { AVATAR_API_TIMEOUT: "soon" }), { code: 2, stderr: /AVATAR_API_TIMEOUT must be/ });
  }),
);

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage(t: Test, api: TestApi) {
  const { account, secret } = await api.addAccount({ plan: "business", credits: 100 });
  const code = await addAgent(api.services, { userId: account.userId, name: "Ada" });
  const folder = t.testdir({ root: { "notes.txt": "seven cups" }, "outside.txt": "not yours", temporary: {} });
  const temporary = join(folder, "temporary");
  const root = join(folder, "root");
  await writeFile(join(root, "ada.imx"), await writeImx(await smallAvatar()));
  await symlink(join(folder, "outside.txt"), join(root, "link.txt"));
  await symlink(join(folder, "outside.txt"), join(root, "outside"));
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, "config") };
  const server: ServerProcess = {
    command: process.execPath,
    args: [AVATAR, "mcp", "--root", root],
    env: { ...env, AVATAR_API_URL: api.baseUrl, AVATAR_API_SECRET: secret },
  };
  return { api, secret, code, folder, root, temporary, server };
}

async function serves(t: Test, { server, code, secret }: Stage): Promise<void> {
  for (const generation of GENERATIONS) {
    const assistant = await connectStdio(generation, server);
    const names = (await assistant.list()).map(({ name }) => name);
    for (const name of [...LOCAL, "generate_agent", "get_transcript"]) t.ok(names.includes(name), name);
    t.match((await assistant.call("list_agents")).data, { agents: [{ agent_id: code }], has_more: false });
    t.match((await assistant.call("list_sessions")).data, { sessions: [] }, "asks for the account by itself");
    const { data } = await assistant.call("inspect_model", { path: "ada.imx" });
    t.match(data, { file: "ada.imx", members: Array }, generation);
    await t.rejects(assistant.call("nothing"), /nothing/);
    t.notOk(JSON.stringify(data).includes(secret));
    await assistant.close();
  }
}

async function filesStay(t: Test, { server, root, api }: Stage): Promise<void> {
  const assistant = await connectStdio("2026-07-28", server);
  for (const path of ["../outside.txt", "link.txt", "/etc/passwd"]) {
    const calls = [
      assistant.call("upload_file", { path }),
      assistant.call("generate_agent", { image_path: path }),
      assistant.call("inspect_model", { path }),
      assistant.call("render", { avatar: "ada.imx", audio_path: path, output_path: "a.mp4" }),
      assistant.call("text_to_speech", { text: "Hi.", output_path: `${path}.wav` }),
    ];
    const codes = (await Promise.all(calls)).map(({ data }) => data.code);
    t.same(codes.slice(0, 4), Array(4).fill("OUTSIDE_ROOT"), path);
  }
  const linked = await assistant.call("render", { avatar: "outside", text: "a", output_path: "a.mp4" });
  t.equal(linked.data.code, "OUTSIDE_ROOT", "a link with a name that a code may have");
  t.match(await assistant.call("render", { avatar: "ada.imx", text: "a\0b", output_path: "a.mp4" }), {
    isError: true,
    data: { code: "VALIDATION_ERROR" },
  });
  t.match(await assistant.call("render", { avatar: "--help", text: "a", output_path: "a.mp4" }), { isError: true });
  t.match(await assistant.call("pull", { avatar: "--force" }), { isError: true, data: { code: "VALIDATION_ERROR" } });
  t.match(await assistant.call("render", { avatar: "ada.imx", text: "a", output_path: "notes.txt" }), {
    isError: true,
    data: { code: "FILE_EXISTS" },
  });
  await withWebhookReceiver(async ({ url }) => {
    const { data } = await assistant.call("create_webhook", { url, events: ["ping"] });
    const file = join(root, data.secret_file);
    const kept = (await readFile(file, "utf8")).trim();
    t.ok(kept.length > 10);
    t.equal((await stat(file)).mode & 0o777, 0o600);
    t.notOk(JSON.stringify(data).includes(kept), "the secret is in the file alone");
  });
  t.ok(api.baseUrl);
  await assistant.close();
}

/** A process that is spoken to without a client. */
function startRaw({ command, args, env }: ServerProcess) {
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  let written = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (written += text));
  const answers = new Map<unknown, (answer: Answer) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    answers.get(answer.id)?.(answer);
  });
  const write = (text: string) => child.stdin.write(`${text}\n`);
  return {
    child,
    exited: once(child, "exit"),
    written: () => written,
    write,
    ask(message: { id: number }): Promise<Answer> {
      const answered = new Promise<Answer>((resolve) => answers.set(message.id, resolve));
      write(JSON.stringify(message));
      return within(answered, `the answer to ${message.id}`);
    },
  };
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return list.trim().split(" ").filter(Boolean).map(Number);
}

interface Answer {
  id: unknown;
  result?: { isError?: boolean; structuredContent?: unknown };
  error?: { code: number };
}

async function raw(t: Test, { api, server, code, secret, root, temporary }: Stage): Promise<void> {
  const open = startRaw(server);
  t.ok((await open.ask(HELLO)).result);
  open.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  for (const broken of ["{", "nonsense", '{"jsonrpc":"2.0"}', "[]", "null", "\u0000"]) open.write(broken);
  const many = await Promise.all(
    Array.from({ length: 10 }, (_, index) => open.ask(call(10 + index, "get_agent", { agent_id: code }))),
  );
  for (const { result } of many) t.match(result?.structuredContent, { agent_id: code }, "it goes on");
  t.equal((await open.ask(call(30, "nothing"))).error?.code, -32602);
  t.ok((await open.ask(call(31, "get_agent"))).result?.isError);
  // It waits for what does not end here.
  await api.services.database.updateTable("agents").set({ status: "processing" }).where("code", "=", code).execute();
  open.write(JSON.stringify(call(32, "get_agent_status", { agent_id: code, wait_seconds: 100 })));
  open.child.stdin.end();
  t.same(await within(open.exited, "the end without a client"), [0, null]);
  t.notOk(open.written().includes(secret), "the secret is nowhere");

  const endless = startRaw(server);
  await endless.ask(HELLO);
  endless.child.stdin.on("error", () => undefined);
  const megabyte = "A".repeat(1_000_000);
  for (let count = 0; count < 9 && endless.child.exitCode === null; count++) endless.child.stdin.write(megabyte);
  endless.child.stdin.end();
  await within(endless.exited, "the end of one that is sent a message without end");
  t.notOk(endless.written().includes("AAAA"));

  const gone = startRaw(server);
  await gone.ask(HELLO);
  gone.child.stdout.destroy();
  gone.write(JSON.stringify(call(1, "list_voices")));
  gone.child.stdin.end();
  await within(gone.exited, "the end of one without a reader");

  const told = startRaw({ ...server, env: { ...server.env, TMPDIR: temporary } });
  await told.ask(HELLO);
  t.match((await told.ask(call(1, "show_face_speaking", { avatar: "ada.imx", text: "Hi." }))).result, {
    structuredContent: { is_local: true },
  });
  const faces = async () => (await readdir(temporary)).filter((name) => name.startsWith("avatar-mcp-"));
  t.equal((await faces()).length, 1, "the face is kept");
  // It takes minutes.
  const long = { avatar: "ada.imx", text: "Hi. ".repeat(1_000), output_path: "long.mp4" };
  told.write(JSON.stringify(call(2, "render", long)));
  await waitFor(async () => (await childrenOf(told.child.pid)).length > 0, "the film is begun", 60_000);
  const [film] = await childrenOf(told.child.pid);
  told.child.kill("SIGTERM");
  t.same(await within(told.exited, "the end of one that is told to"), [130, null]);
  t.same(await faces(), [], "no file is left");
  await waitFor(async () => !(await isRunning(film)), "the end of the film");
  t.notOk((await readdir(root)).some((name) => name.startsWith("long.mp4")));
}

async function noService(t: Test, { server }: Stage): Promise<void> {
  const { AVATAR_API_SECRET: _, ...without } = server.env;
  const stranger = await connectStdio("2025", { ...server, env: without });
  t.match(await stranger.call("list_agents"), { isError: true, data: { code: "MISSING_AUTH", hint: /avatar login/ } });
  t.match((await stranger.call("version")).data, { version: String }, "what needs no account works");
  t.match((await stranger.call("list_showcase")).data, { models: Array });
  await stranger.close();
  const lost = await connectStdio("2025", { ...server, env: { ...server.env, AVATAR_API_URL: "http://127.0.0.1:1" } });
  t.match(await lost.call("list_agents"), {
    isError: true,
    data: { code: "CONNECTION_FAILED", hint: /AVATAR_API_URL/ },
  });
  const checked = await lost.call("doctor");
  const service = { check: "service", state: "missing", remedy: String };
  t.match(
    checked.data.checks.find(({ check }: { check: string }) => check === "service"),
    service,
    "what is missing is told",
  );
  await lost.close();
}
