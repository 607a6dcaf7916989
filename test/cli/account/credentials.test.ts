import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { changeConfig, configPath, readConfig, type SignIn } from "../../../cli/account/config-file.ts";
import { findCredentials, findServiceUrl } from "../../../cli/account/credentials.ts";
import { openClient, openPublicClient } from "../../../cli/account/open-client.ts";
import { forgetSignIn, storeSignIn } from "../../../cli/account/sign-ins.ts";

const signIn = (email: string): SignIn => ({
  api_secret: `secret-of-${email}`,
  alias: "cli@desk",
  user_id: "1",
  email,
});
const A = "https://a.example";
const B = "http://127.0.0.1:9000";

t.test("the file lies in the platform's folder for settings, or where AVATAR_CONFIG_FILE says", async (t) => {
  const file = "open-avatar/credentials.json";
  t.equal(configPath({ XDG_CONFIG_HOME: "/settings", HOME: "/home/ada" }), `/settings/${file}`);
  t.equal(configPath({ HOME: "/home/ada" }), `/home/ada/.config/${file}`);
  t.equal(configPath({ AVATAR_CONFIG_FILE: "/run/own.json", XDG_CONFIG_HOME: "/settings" }), "/run/own.json");
});

t.test("a sign-in is kept by service in a file of the owner; the environment wins over it", async (t) => {
  const environment = { XDG_CONFIG_HOME: join(t.testdir(), "new") };
  t.equal(await findCredentials(environment), null, "no file");
  t.equal(await forgetSignIn(environment, A), undefined);
  await t.rejects(stat(configPath(environment)), { code: "ENOENT" }, "and none is made");
  t.equal(await findServiceUrl(environment), "http://127.0.0.1:8080");
  t.equal(await storeSignIn(environment, A, signIn("ada@a")), undefined);
  await storeSignIn(environment, B, signIn("ada@b"));
  const path = configPath(environment);
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.equal((await stat(join(path, ".."))).mode & 0o777, 0o700);
  t.same(await readdir(join(path, "..")), ["credentials.json"], "neither a lock nor half a file is left");

  t.same(await findCredentials(environment), { baseUrl: B, apiSecret: "secret-of-ada@b", source: "file" });
  const other = { ...environment, AVATAR_API_URL: `${A}/` };
  t.same(await findCredentials(other), { baseUrl: A, apiSecret: "secret-of-ada@a", source: "file" });
  t.equal(await findCredentials({ ...environment, AVATAR_API_URL: "https://c.example" }), null);
  const own = { ...environment, AVATAR_API_SECRET: "own" };
  t.same(
    await findCredentials(own),
    { baseUrl: "http://127.0.0.1:8080", apiSecret: "own", source: "environment" },
    "a secret of the environment is not sent to the service of the file",
  );
  t.match(await findCredentials({ ...own, AVATAR_API_URL: A }), { baseUrl: A, apiSecret: "own" });

  t.match(await storeSignIn(environment, B, signIn("eve@b")), { email: "ada@b" }, "the one that is replaced");
  t.match(await forgetSignIn(environment, B), { email: "eve@b" });
  t.equal(await findServiceUrl(environment), A, "the sign-in that is left");
  await forgetSignIn(environment, A);
  t.equal(await forgetSignIn(environment, A), undefined);
  await t.rejects(openClient(environment), { kind: "no_permission", code: "NOT_SIGNED_IN", hint: /avatar login/ });
  t.ok(await openPublicClient(environment));
});

t.test("many sign-ins at once lose nothing", async (t) => {
  const environment = { AVATAR_CONFIG_FILE: join(t.testdir(), "own.json") };
  const urls = Array.from({ length: 12 }, (_, k) => `https://${k}.example`);
  await Promise.all(urls.map((url) => storeSignIn(environment, url, signIn(url))));
  t.same(Object.keys((await readConfig(environment)).services).sort(), urls.sort());
});

t.test("a file that others may read is refused, with the command that closes it", async (t) => {
  const path = join(t.testdir(), "own.json");
  const environment = { AVATAR_CONFIG_FILE: path };
  await storeSignIn(environment, A, signIn("ada@a"));
  for (const mode of [0o644, 0o640, 0o606]) {
    await chmod(path, mode);
    const refusal = {
      kind: "no_permission",
      code: "CONFIG_FILE_OPEN",
      hint: `chmod 600 ${path} closes it. If others have read it, sign in again.`,
    };
    await t.rejects(findCredentials(environment), refusal);
    await t.rejects(storeSignIn(environment, B, signIn("ada@b")), refusal, "nor is a secret added to it");
  }
  t.match(await findCredentials({ ...environment, AVATAR_API_SECRET: "own" }), { source: "environment" });
  await chmod(path, 0o600);
  t.match(await findCredentials(environment), { source: "file" });
});

t.test("a broken file, a folder in its place and an unusable environment are told in one sentence", async (t) => {
  const folder = t.testdir();
  const path = join(folder, "own.json");
  const environment = { AVATAR_CONFIG_FILE: path };
  for (const text of ["", "{", "[]", '{"version": 2}', '{"version":1,"current":null,"services":{"x":{}}}']) {
    await writeFile(path, text, { mode: 0o600 });
    await t.rejects(readConfig(environment), {
      code: "CONFIG_FILE",
      message: /not a file that this program has written/,
    });
    await t.rejects(storeSignIn(environment, A, signIn("ada@a")), { code: "CONFIG_FILE" }, "and not overwritten");
    t.equal(await readFile(path, "utf8"), text);
  }
  await mkdir(join(folder, "folder"), { mode: 0o700 });
  await t.rejects(readConfig({ AVATAR_CONFIG_FILE: join(folder, "folder") }), { message: /EISDIR/ });
  await t.rejects(storeSignIn({ AVATAR_CONFIG_FILE: join(path, "below.json") }, A, signIn("ada@a")), {
    message: /cannot be written/,
  });
  for (const AVATAR_API_URL of ["avatars.example", "ftp://avatars.example", "https://ada:pass@avatars.example"]) {
    await t.rejects(findServiceUrl({ AVATAR_API_URL }), { kind: "usage", message: /^AVATAR_API_URL must be/ });
  }
  const failure = await findCredentials({ AVATAR_API_SECRET: "two words" }).catch((error: Error) => error.message);
  t.match(failure, /^AVATAR_API_SECRET must be/);
  t.notMatch(failure, /two words/);
});

t.test("a link to the file stays a link", async (t) => {
  const folder = t.testdir();
  await symlink(join(folder, "kept.json"), join(folder, "link.json"));
  await writeFile(join(folder, "kept.json"), '{"version":1,"current":null,"services":{}}', { mode: 0o600 });
  await changeConfig({ AVATAR_CONFIG_FILE: join(folder, "link.json") }, (config) => ({
    config: { ...config, current: A },
    result: undefined,
  }));
  t.match(await readFile(join(folder, "kept.json"), "utf8"), A);
});
