// A site with an avatar on it. Each visitor gets a token of their own, so that the API secret stays here.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { ApiError, Client } from "@open-avatar/client";

const client = new Client();
const webUrl = process.env.AVATAR_API_URL;
const [sample] = (await client.samples.list()).items;
const agentId = process.env.AGENT_CODE ?? sample?.agent_code;

const PAGE = `<!doctype html>
<html lang="en">
  <title>Our shop</title>
  <h1>Ask us anything</h1>
  <iframe title="Avatar" width="480" height="640" allow="microphone *; camera *; autoplay *"></iframe>
  <script type="module">
    const answer = await fetch("/token", { method: "POST" });
    const { url, message } = await answer.json();
    if (url) document.querySelector("iframe").src = url;
    else document.querySelector("h1").textContent = message;
  </script>
</html>`;

/** The same for all visits of a browser: the service's limits count per visitor. */
function visitorOf(request, response) {
  const known = /visitor=([0-9a-f]{32})/.exec(request.headers.cookie ?? "")?.[1];
  const visitor = known ?? randomBytes(16).toString("hex");
  if (!known) response.setHeader("set-cookie", `visitor=${visitor}; HttpOnly; SameSite=Strict; Max-Age=31536000`);
  return visitor;
}

async function sendToken(request, response) {
  try {
    const { token } = await client.embedTokens.create({ agent_id: agentId, fingerprint: visitorOf(request, response) });
    response.end(JSON.stringify({ url: `${webUrl}/embed/${agentId}?token=${token}` }));
  } catch (error) {
    console.error(error);
    const message = "The avatar is not here now. Please come back later.";
    response.writeHead(error instanceof ApiError ? error.httpStatus : 503).end(JSON.stringify({ message }));
  }
}

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/token") return sendToken(request, response);
  if (request.url !== "/") return response.writeHead(404).end();
  return response.setHeader("content-type", "text/html").end(PAGE);
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
