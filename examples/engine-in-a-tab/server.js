// Serves the page and the package: plain files, no bundler.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const PACKAGE = "/node_modules/@open-avatar/engine/dist/";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

const server = createServer(async (request, response) => {
  const path = normalize(new URL(request.url, "http://page").pathname);
  const name = path === "/" ? "/index.html" : path;
  const isOpen = ["/index.html", "/page.js"].includes(name) || name.startsWith(PACKAGE);
  const bytes = isOpen && (await readFile(join(import.meta.dirname, name)).catch(() => undefined));
  if (!bytes) return response.writeHead(404).end();
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type }).end(bytes);
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
