// Offers of WebRTC calls by callers who never connect.
import { setTimeout as delay } from "node:timers/promises";
import { loadWrtc } from "../../../../relay/webrtc/load-wrtc.ts";
import { type Flood, noteAnswer } from "../flood.ts";

/** At the same time. */
const LANES = 30;
const PAUSE_MS = 100;

export const floodOffers: Flood = async ({ target, over, sent, answered }) => {
  const sdp = await makeOffer();
  const lane = async () => {
    while (!over.aborted) {
      try {
        sent("offers", sdp.length);
        const response = await fetch(`${target.baseUrl}/v1/realtime/connect?model=service-realtime`, {
          method: "POST",
          headers: { "api-secret": target.apiSecret, "content-type": "application/sdp" },
          body: sdp,
          signal: over,
        });
        await noteAnswer(response, answered);
      } catch (error) {
        if (!over.aborted) throw error;
      }
      await delay(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};

async function makeOffer(): Promise<string> {
  const { RTCPeerConnection } = loadWrtc();
  const peer = new RTCPeerConnection({});
  peer.addTransceiver("audio");
  peer.createDataChannel("oai-events");
  await peer.setLocalDescription(await peer.createOffer());
  const sdp = peer.localDescription?.sdp ?? "";
  peer.close();
  return sdp;
}
