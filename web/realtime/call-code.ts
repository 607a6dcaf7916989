// The session of the page as a program, in three languages.
import { pythonText, typeScriptText } from "../shared/code/code-values.ts";
import type { Language } from "../shared/code/code-view.ts";
import type { RealtimeEvent } from "./realtime-call.ts";

export interface CodedCall {
  /** The address below which the service is served. */
  base: URL;
  model: string;
  /** What the page sent, in order. */
  sent: readonly RealtimeEvent[];
}

/** Sent where the page has sent nothing that is answered. */
const FIRST_WORDS: readonly RealtimeEvent[] = [
  {
    type: "conversation.item.create",
    item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello. Who are you?" }] },
  },
  { type: "response.create" },
];

export function callCode(call: CodedCall, language: Language): string {
  const isAnswered = call.sent.some(({ type }) => type === "response.create");
  const events = isAnswered ? call.sent : [...call.sent, ...FIRST_WORDS];
  if (language === "curl") return curlCode(call);
  return language === "python" ? pythonCode(call, events) : typeScriptCode(call, events);
}

/** curl has no microphone: it opens the call for a peer that has. */
function curlCode({ base, model }: CodedCall): string {
  return `# offer.sdp: the offer of your WebRTC peer, with a data channel named oai-events
curl -sS '${address(base, "v1/realtime/connect", model)}' \\
  -H "api-secret: $AVATAR_API_SECRET" \\
  -H 'content-type: application/sdp' \\
  --data-binary @offer.sdp \\
  -o answer.sdp`;
}

function typeScriptCode({ base, model }: CodedCall, events: readonly RealtimeEvent[]): string {
  return `import { WebSocket } from "ws"; // npm install ws

const events = ${typeScriptText(events)};
const call = new WebSocket(${JSON.stringify(socketAddress(base, model))}, {
  headers: { "api-secret": process.env.AVATAR_API_SECRET ?? "" },
});
call.on("open", () => {
  for (const event of events) call.send(JSON.stringify(event));
});
call.on("message", (data) => console.log(JSON.parse(String(data)).type));`;
}

function pythonCode({ base, model }: CodedCall, events: readonly RealtimeEvent[]): string {
  return `import asyncio
import json
import os

import websockets  # pip install websockets

EVENTS = ${pythonText(events)}


async def main():
    headers = {"api-secret": os.environ["AVATAR_API_SECRET"]}
    address = ${JSON.stringify(socketAddress(base, model))}
    async with websockets.connect(address, additional_headers=headers) as call:
        for event in EVENTS:
            await call.send(json.dumps(event))
        async for message in call:
            print(json.loads(message)["type"])


asyncio.run(main())`;
}

function socketAddress(base: URL, model: string): string {
  return address(base, "v1/realtime", model).replace(/^http/, "ws");
}

function address(base: URL, path: string, model: string): string {
  const url = new URL(path, base);
  url.searchParams.set("model", model);
  return url.href.replaceAll("'", "%27");
}
