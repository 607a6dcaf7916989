// `avatar doctor llm`, as a person and a script see it.
import { tmpdir } from "node:os";
import t from "tap";
import { withChatServer } from "../../../helpers/servers/with-chat-server.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

const LIST = { object: "list", data: [{ id: "gemma.gguf", owned_by: "llamacpp", meta: { size: 1_073_741_824 } }] };

t.test(
  "doctor llm lists what answers, says what conversations use, and how to start one if nothing does",
  async (t) => {
    await withAvatarCommand(tmpdir(), async (run) => {
      await withChatServer(
        ({ path }) => (path === "/v1/models" ? { body: LIST } : { status: 404, body: {} }),
        async ({ port, baseUrl }) => {
          const found = await run(["doctor", "llm", "--port", String(port)]);
          t.equal(found.code, 0, found.stderr);
          t.match(found.stdout, /gemma\.gguf {2}llama\.cpp {2}http:\/\/127\.0\.0\.1:\d+\/v1 {2}1\.0 GB {2}not told/);
          t.match(found.stdout, /Conversations use gemma\.gguf/);
          const json = await run(["doctor", "llm", "--json", "--port", String(port)]);
          t.match(JSON.parse(json.stdout), {
            schema_version: 1,
            ready: true,
            used: "gemma.gguf",
            models: [{ program: "llama.cpp", base_url: baseUrl, size_bytes: 1_073_741_824, memory_bytes: null }],
          });
        },
      );
      const none = await run(["doctor", "llm", "--port", "1"]);
      t.equal(none.code, 69);
      t.match(none.stdout, /ollama run llama3\.2\n +wants 3\.5 GB of memory/);
      t.match(
        none.stderr,
        /No language model answers on this machine\.[\s\S]*ports 1\. Without one, avatars answer from/,
      );
      t.match(JSON.parse((await run(["doctor", "llm", "--json", "--port", "1"])).stdout), { ready: false, models: [] });
      t.equal((await run(["doctor", "llm", "--port", "many"])).code, 2);
    });
  },
);
