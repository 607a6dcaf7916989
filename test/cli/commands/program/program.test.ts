// Commands about the command line, and what holds for all of them: where --json may stand, wrong usage, and how a
// command ends from outside.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type ImportKind } from "esbuild";
import t, { type Test } from "tap";
import { FETCHABLE_VOICES } from "../../../../src/speech/voice/fetched/fetchable-voices.ts";
import { type RunAvatar, withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const AVATAR = fileURLToPath(new URL("../../../../cli/avatar.mjs", import.meta.url));
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const RUN_AVATAR = "cli/run-avatar.ts";
const LIGHT_PACKAGES = /^(node:|commander$)/;
/** 86 KB when this was written. */
const MAX_REGISTRATION_BYTES = 200_000;
const execute = promisify(execFile);

function start(words: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [AVATAR, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  return { child, closed: once(child, "close"), stderr: text(child.stderr) };
}

t.test("--json stands anywhere on the line; version, __schema and wrong usage answer with one object", async (t) => {
  const folder = t.testdir();
  await withAvatarCommand(folder, async (command) => {
    for (const line of ["--json voices list", "voices --json list", "voices list --json"]) {
      const { code, stdout, stderr } = await command(line.split(" "));
      t.equal(code, 0, `${line}: ${stderr}`);
      t.match(JSON.parse(stdout), { schema_version: 1, voices: Array });
    }
    const plain = await command(["inspect", "--", "--json"]);
    t.equal(plain.code, 66, "after -- it is the name of a file");
    t.match(plain.stderr, /^avatar inspect: --json cannot be read: there is no such file\.\n$/);
    const named = await command(["hear", "--expressiveness", "--json", "none.wav"]);
    t.equal(named.code, 2);
    t.match(named.stderr, /^avatar hear: .*expressiveness/i, "as the value of an option it stays, and is no flag");

    const versioned = await command(["version"]);
    t.match(versioned.stdout, /^\d+\.\d+\.\d+\n$/);
    const version = JSON.parse((await command(["version", "--json"])).stdout);
    t.same(version, { schema_version: 1, version: versioned.stdout.trim(), node: process.versions.node });

    const schema = JSON.parse((await command(["__schema"])).stdout);
    t.match(schema, { schema_version: 1, version: version.version, exit_codes: { ok: 0, usage: 2, interrupted: 130 } });
    const commands = new Map<string, { options: { names: string[] }[] }>(
      schema.commands.map((each: { name: string }) => [each.name, each]),
    );
    t.match(commands.get("inspect"), {
      aliases: ["open", "info"],
      arguments: [{ name: "bundle", required: true, variadic: false, choices: [] }],
      options: [{ flags: "--json", names: ["--json"], takesValue: false }],
    });
    t.match(commands.get("completion"), { arguments: [{ choices: ["bash", "zsh", "fish"] }] });
    t.notOk(commands.has("__schema"), "hidden commands are left out");
    t.match(
      schema.mcp_tools.find(({ name }: { name: string }) => name === "delete_agent"),
      { title: String, annotations: { destructiveHint: true } },
      "the tools of assistants",
    );
    for (const name of [
      "version",
      "completion",
      "voices list",
      "voices pull",
      "doctor",
      "backup",
      "render",
      "worker",
    ]) {
      t.ok(
        commands.get(name)?.options.some(({ names }) => names.includes("--json")),
        `${name} knows --json`,
      );
    }

    await t.test("wrong usage is one sentence and a hint", (t) => testUsage(t, command));
  });
});

async function testUsage(t: Test, command: RunAvatar): Promise<void> {
  const cases: [string, string, RegExp][] = [
    ["frobnicate", "", /^Unknown command 'frobnicate'\.$/],
    ["voices frobnicate", "voices", /^Unknown command 'frobnicate'\.$/],
    ["bake", "bake", /^Missing required argument 'portrait'\.$/],
    ["version --colour", "version", /^Unknown option '--colour'\.$/],
    ["completion tcsh", "completion", /tcsh.*bash, zsh, fish\.$/],
    ["engine install tpu", "engine install", /tpu.*cpu, cuda\.$/],
    ["agent list", "", /^Unknown command 'agent' \(Did you mean agents\?\)$/],
    ["rendr --help", "", /^Unknown command 'rendr' \(Did you mean render\?\)$/],
    ["help rendr", "", /^Unknown command 'rendr' \(Did you mean render\?\)$/],
  ];
  for (const [line, name, message] of cases) {
    const hint = name ? `avatar ${name} --help shows how it is used.` : "avatar --help lists the commands.";
    const failed = await command(["--json", ...line.split(" ")]);
    t.equal(failed.code, 2, line);
    t.equal(failed.stdout, "");
    t.match(JSON.parse(failed.stderr), { error: { code: "USAGE", kind: "usage", command: name, message, hint } });
    const spoken = await command(line.split(" "));
    t.equal(spoken.code, 2, line);
    const [sentence, ...others] = spoken.stderr.trimEnd().split("\n");
    t.match(sentence.slice(sentence.indexOf(": ") + 2), message);
    t.same(others, [hint]);
  }
  for (const words of [[], ["voices"]]) {
    t.match(
      await command(words),
      { code: 2, stdout: "", stderr: /^Usage: avatar/ },
      "people without a command get help",
    );
    const failed = await command([...words, "--json"]);
    t.equal(failed.code, 2);
    t.match(JSON.parse(failed.stderr), { error: { kind: "usage", message: "No command was given." } });
  }
}

t.test("the help lists all commands in groups, and explains each however it is asked", async (t) => {
  await withAvatarCommand(t.testdir(), async (command) => {
    const { stdout, code } = await command(["--help"]);
    t.equal(code, 0);
    const lines = stdout.split("\n");
    t.same(
      lines.filter((line) => line.length > 80),
      [],
      "no line is wider than a terminal",
    );
    t.same(
      lines.filter((line) => /^\S.*:$/.test(line)),
      ["Options:", "Your agents at a service:", "Faces on this computer:", "A service of your own:", "This program:"],
    );
    t.match(stdout, /^ {2}inspect \(open, info\) {2}Check/m);
    t.notMatch(stdout, /__schema/);
    t.equal((await command(["help"])).stdout, stdout);
    const explained = (await command(["agents", "create", "--help"])).stdout;
    t.match(explained, /^Usage: avatar agents create/);
    for (const line of ["help agents create", "agents help create", "-h agents create"]) {
      t.equal((await command(line.split(" "))).stdout, explained, line);
    }
  });
});

t.test("a reader that goes away ends a command quietly", async (t) => {
  const lines = [
    "__schema",
    "--help",
    "completion bash",
    "mcp tools",
    "mcp tools --json",
    "voices list",
    "engine list",
  ];
  for (const line of lines) {
    const { child, closed, stderr } = start(line.split(" "));
    child.stdout.destroy();
    t.same(await closed, [0, null], line);
    t.equal(await stderr, "", line);
  }
});

t.test("Ctrl-C ends a command that tidies up nothing with 130, without a message or half a voice", async (t) => {
  const folder = t.testdir();
  let asked = false;
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-length": 10_000 }).write(Buffer.alloc(1_000), () => {
      asked = true;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const words = ["voices", "pull", FETCHABLE_VOICES[0].id, "--source", source, "--json"];
  const { child, closed, stderr } = start(words, { AVATAR_DATA_DIR: folder });
  const stdout = text(child.stdout);
  await waitFor(() => asked, "the voice is requested", 120_000);
  child.kill("SIGINT");
  t.same(await closed, [130, null]);
  t.same([await stdout, await stderr], ["", ""]);
  const left = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = left.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  t.ok(
    files.every((path) => path.includes("/.partial/")),
    `what has arrived waits for the next time, beside the voices: ${files}`,
  );
});

t.test("shells complete commands, options and the words an argument may be", async (t) => {
  const folder = t.testdir();
  const scripts = new Map<string, string>();
  await withAvatarCommand(folder, async (command) => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await command(["completion", shell]);
      t.same(JSON.parse((await command(["completion", shell, "--json"])).stdout), {
        schema_version: 1,
        shell,
        script: stdout,
      });
      const path = join(folder, `avatar.${shell}`);
      await writeFile(path, stdout);
      scripts.set(shell, path);
    }
  });
  const cases: [string, string[]][] = [
    ["avatar comp", ["completion"]],
    ["avatar voices p", ["pull"]],
    ["avatar --json voices p", ["pull"]],
    ["avatar doctor l", ["llm"]],
    ["avatar bake --ou", ["--output"]],
    ["avatar completion ", ["--json", "bash", "fish", "zsh"]],
  ];
  await t.test("bash", async (t) => {
    const path = scripts.get("bash") as string;
    t.same(await execute("bash", ["-n", path]), { stdout: "", stderr: "" });
    for (const [line, expected] of cases) {
      const script = `source "$1"; COMP_WORDS=("\${@:2}"); COMP_CWORD=$(($# - 2)); _avatar; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = await execute("bash", ["-c", script, "bash", path, ...line.split(" ")]);
      t.same(stdout.trimEnd().split("\n").sort(), expected, line);
    }
  });
  await t.test("fish", { skip: (await isInstalled("fish")) ? false : "fish is not installed" }, async (t) => {
    for (const [line, expected] of cases.filter(([line]) => !line.endsWith(" "))) {
      const words = [
        "--no-config",
        "-c",
        'source $argv[1]; complete -C "$argv[2]"',
        scripts.get("fish") as string,
        line,
      ];
      const { stdout } = await execute("fish", words);
      const found = stdout.split("\n").map((each) => each.split("\t")[0]);
      t.ok(
        expected.every((word) => found.includes(word)),
        `${line}: ${found}`,
      );
    }
  });
  await t.test("zsh", { skip: (await isInstalled("zsh")) ? false : "zsh is not installed" }, async (t) => {
    t.same(await execute("zsh", ["-n", scripts.get("zsh") as string]), { stdout: "", stderr: "" });
  });
});

async function isInstalled(shell: string): Promise<boolean> {
  return execute(shell, ["--version"]).then(
    () => true,
    () => false,
  );
}

t.test(
  "registering all commands loads commander and small files: what does the work is imported by actions",
  async (t) => {
    const { inputs } = (
      await build({
        entryPoints: [join(ROOT, RUN_AVATAR)],
        absWorkingDir: ROOT,
        bundle: true,
        write: false,
        metafile: true,
        platform: "node",
        format: "esm",
        packages: "external",
        splitting: true,
        outdir: "none",
        logLevel: "silent",
      })
    ).metafile;
    const importsOf = (path: string, kind: ImportKind) => inputs[path].imports.filter((each) => each.kind === kind);
    const registered = importsOf(RUN_AVATAR, "dynamic-import").map(({ path }) => path);
    t.ok(registered.length > 10);
    const loaded = new Set([RUN_AVATAR, ...registered]);
    // A set's loop reaches what is added meanwhile.
    for (const path of loaded) {
      for (const { path: target, external } of importsOf(path, "import-statement")) {
        if (!external) loaded.add(target);
        else t.ok(LIGHT_PACKAGES.test(target), `${path} is registered with the command, and may not import ${target}`);
      }
    }
    const bytes = [...loaded].reduce((sum, path) => sum + inputs[path].bytes, 0);
    t.ok(bytes < MAX_REGISTRATION_BYTES, `${bytes} bytes of sources are read to register all commands`);
  },
);
