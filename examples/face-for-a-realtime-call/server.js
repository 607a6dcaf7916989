// Serves the page, and opens its calls, so that the API secret stays here.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, extname } from "node:path";
import { text } from "node:stream/consumers";

const service = `${process.env.AVATAR_API_URL}/`;
const headers = { "api-secret": process.env.AVATAR_API_SECRET };
const get = async (path) => (await fetch(new URL(path, service), { headers })).json();
const model = process.env.MODEL ?? (await get("realtime/models")).models[0]?.name ?? "";
const face = process.env.FACE ?? new URL((await get("samples")).samples[0].imx_url, service).href;
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const script = new URL("./", import.meta.resolve("@open-avatar/face/script/avatar-face.js"));

const server = createServer(async (request, response) => {
  try {
    if (request.url === "/face.imx") return response.end(Buffer.from(await (await fetch(face)).arrayBuffer()));
    if (request.url !== "/call") {
      const name = basename(request.url) || "index.html";
      const folder = ["index.html", "page.js"].includes(name) ? import.meta.url : script;
      const bytes = await readFile(new URL(name, folder));
      return response.setHeader("content-type", types[extname(name)] ?? "application/octet-stream").end(bytes);
    }
    const answer = await fetch(new URL(`v1/realtime/connect?model=${encodeURIComponent(model)}`, service), {
      method: "POST",
      headers: { ...headers, "content-type": "application/sdp" },
      body: await text(request),
    });
    return response.writeHead(answer.status).end(await answer.text());
  } catch (error) {
    return response.writeHead(404).end(String(error));
  }
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
