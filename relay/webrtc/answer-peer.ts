// A peer connection that answers an offer: the caller's microphone comes in, the upstream's voice goes out, and events
// go both ways in a data channel that the caller opens.
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "../../shared/errors.ts";
import { type AudioData, loadWrtc } from "./load-wrtc.ts";
import { withOwnAddress } from "./with-own-address.ts";

/** An offer is read and answered in some ms. */
const DESCRIBING_MS = 5_000;
/** Candidates of this machine are there in a few ms. */
const GATHERING_MS = 2_000;

export interface PeerSettings {
  /** UDP ports for media; default: any. */
  ports?: { min: number; max: number };
  /** Address under which callers reach this machine, if it is not its own. */
  address?: string;
}

export interface AnsweredPeer {
  peer: RTCPeerConnection;
  /** The SDP answer, with all candidates. */
  answer: string;
  /** Sends 10 ms at 48 kHz to the caller. */
  play(samples: Int16Array): void;
  /** Ends the connection. Idempotent. */
  close(): void;
}

export interface AnswerPeerOptions extends PeerSettings {
  offer: string;
  onAudio(audio: AudioData): void;
  onChannel(channel: RTCDataChannel): void;
  onState(state: RTCPeerConnectionState): void;
}

/** Throws ServiceError VALIDATION_ERROR for an offer that cannot be answered. */
export async function answerPeer(options: AnswerPeerOptions): Promise<AnsweredPeer> {
  const { offer, ports, address, onAudio, onChannel, onState } = options;
  const { RTCPeerConnection, nonstandard } = loadWrtc();
  const peer = new RTCPeerConnection({ ...(ports && { portRange: ports }) });
  const source = new nonstandard.RTCAudioSource();
  const voice = source.createTrack();
  const sinks: { stop(): void }[] = [];
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const sink of sinks) sink.stop();
    voice.stop();
    peer.close();
  };
  peer.ontrack = ({ track }) => {
    if (track.kind !== "audio" || sinks.length > 0) return;
    const sink = new nonstandard.RTCAudioSink(track);
    sink.ondata = onAudio;
    sinks.push(sink);
  };
  peer.ondatachannel = ({ channel }) => onChannel(channel);
  peer.onconnectionstatechange = () => onState(peer.connectionState);
  try {
    await Promise.race([
      describe(peer, offer, voice),
      delay(DESCRIBING_MS, undefined, { ref: false }).then(() => Promise.reject(new Error("it took too long"))),
    ]);
  } catch (cause) {
    close();
    throw new ServiceError("VALIDATION_ERROR", "Not a usable offer: it cannot be answered.", { cause });
  }
  await gathered(peer);
  return {
    peer,
    answer: withOwnAddress(peer.localDescription?.sdp ?? "", address),
    play: (samples) => {
      if (isClosed) return;
      source.onData({
        samples,
        sampleRate: 48_000,
        bitsPerSample: 16,
        channelCount: 1,
        numberOfFrames: samples.length,
      });
    },
    close,
  };
}

async function describe(peer: RTCPeerConnection, offer: string, voice: MediaStreamTrack): Promise<void> {
  await peer.setRemoteDescription({ type: "offer", sdp: offer });
  peer.addTrack(voice);
  await peer.setLocalDescription(await peer.createAnswer());
}

function gathered(peer: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      peer.onicegatheringstatechange = null;
      resolve();
    };
    const timer = setTimeout(done, GATHERING_MS);
    peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done();
    if (peer.iceGatheringState === "complete") done();
  });
}
