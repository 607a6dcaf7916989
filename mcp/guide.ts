// What coding assistants read before they write a program with this service: `/skill.md`, and its index `/llms.txt`.

const SUMMARY =
  "Makes talking faces (agents) from a prompt or a portrait, shows them on pages and in LiveKit rooms, gives them knowledge, and films them.";

/** An index of what there is to read. `baseUrl`: address of the service, without a trailing slash. */
export function indexText(baseUrl: string): string {
  return `# Open Avatar Service

> ${SUMMARY}

- [Skill](${baseUrl}/skill.md): how to use it in a program, with code for each task
- [OpenAPI](${baseUrl}/openapi.json): every REST call, its fields and its errors
- [Reference](${baseUrl}/docs): the same as a page, with code in three languages
- [MCP](${baseUrl}/mcp): the same as tools, over Streamable HTTP, with the header api-secret or Authorization: Bearer
- [Widget](${baseUrl}/widget.js): the script that puts a face into a site
`;
}

/** The skill: what an assistant needs to write a program. */
export function skillText(baseUrl: string): string {
  return `---
name: open-avatar-service
description: ${SUMMARY} Use it to add a talking face to a page, a voice agent or a film, by REST, a client package, a widget or MCP.
---

# Open Avatar Service

Address of this service: ${baseUrl}. All calls but a few need the header \`api-secret\`. Keep the secret on a server, in
\`AVATAR_API_SECRET\`, with the address in \`AVATAR_API_URL\`; pages get embed tokens. \`avatar login\` stores both for the command line.

## Choose

| You want | Use |
|---|---|
| a face on a site, with chat and voice | the widget: \`<script src="${baseUrl}/widget.js" data-agent-id="CODE" async></script>\` |
| one page with a face, as a frame or a link | \`${baseUrl}/embed/CODE?token=TOKEN\`, with a token of \`POST /v1/embed-tokens/request\` |
| a face for audio that a page has, without a server | \`<avatar-face src="maya.imx">\` of \`@open-avatar/face\` |
| a face for a voice agent of LiveKit | \`AvatarSession\` of \`@open-avatar/livekit-agents\` (Node) or \`livekit-plugins-openavatar\` (Python) |
| a film | \`POST /v1/video/generate\`, or \`avatar render FACE AUDIO -o film.mp4\` on this computer |
| all of it from a program | \`@open-avatar/client\` |

## Make an agent, and wait until it is ready

\`\`\`ts
import { Client } from "@open-avatar/client";

const client = new Client(); // AVATAR_API_URL, AVATAR_API_SECRET
const agent = await client.agents
  .create({ prompt: "You are Maya, a patient guide.", model: "essence-2", image: { path: "maya.jpg" } })
  .ready();
\`\`\`

\`\`\`sh
curl -sS $AVATAR_API_URL/v1/agent/generate -H "api-secret: $AVATAR_API_SECRET" -H "content-type: application/json" \\
  -d '{"prompt": "You are Maya.", "model": "essence-2"}'
curl -sS $AVATAR_API_URL/v1/agent/status/CODE -H "api-secret: $AVATAR_API_SECRET"
\`\`\`

- Always send \`model\`: \`essence-2\` for people, \`expression-2\` for any face (drawings, animals); \`GET /v1/pricing\` has the prices.
- Only \`ready\` and \`failed\` are ends of the status; \`completed\` and \`success\` may appear on the way.
- A portrait has one face that looks at the camera.

## Let people talk with it

\`\`\`ts
const { token } = await client.embedTokens.create({ agent_id: agent.code, shared: true });
const { url } = await client.embedLinks.create({ agent_id: agent.code }); // a short link, for seven days
await client.agents.speak(agent.code, { message: "Welcome!" }); // in its live rooms; NOT_FOUND without one
\`\`\`

## Give it knowledge

With the secret of an organization: \`client.knowledgeFiles.create({ file: { path: "prices.pdf" } })\`, then
\`client.knowledgeBases.create({ name: "Prices", file_ids: [file.id] })\`, and, once its status is \`ready\`,
\`client.agents.update(agent.code, { kb_ids: [base.id] })\`.

## Film it

\`\`\`ts
const { job_id } = await client.videos.create({
  agent_code: agent.code,
  model: agent.model,
  input: { type: "text", text: "Hello from a film." },
});
// Ask client.videos.get(job_id) until the status is completed (video_url) or failed (refunded).
\`\`\`

## Errors

Every error is \`{error: {code, message, httpStatus}}\`. Act on the code: \`INSUFFICIENT_BALANCE\` has \`topup_url\`, \`PLAN_REQUIRED\` has
\`upgrade_url\`; 429 and 503 say in \`Retry-After\` when to try again. The client does that by itself, with one idempotency key.
Verify webhooks with \`client.webhooks.verify\` before you believe them.

## As tools

\`avatar mcp\` serves an assistant on this computer, with files below its folder; ${baseUrl}/mcp serves one elsewhere. Both have the tools
\`generate_agent\`, \`get_agent_status\`, \`create_embed_link\`, \`create_video\`, \`get_transcript\` and others: \`avatar mcp tools\` lists them.
\`show_agent_speaking\` shows the face speaking inside the conversation, where the client shows MCP Apps.
`;
}
