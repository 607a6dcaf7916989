// One call over WebRTC: the microphone goes to /v1/realtime/connect, the answer comes back as audio, and events go both
// ways in the data channel `oai-events`.
import { RequestError } from "../shared/request-error.ts";

const EVENTS_CHANNEL = "oai-events";

/** An event of OpenAI's realtime protocol. */
export type RealtimeEvent = { type: string } & Record<string, unknown>;

export interface RealtimeCallOptions {
  /** The address below which the service is served. */
  base: URL;
  model: string;
  /** Headers with the credential. */
  headers(): Promise<Record<string, string>>;
  /** The visitor's microphone, which stays the call's. */
  onMicrophone(stream: MediaStream): void;
  /** There is none: the call goes on with what is typed. Gets what the browser throws. */
  onNoMicrophone(error: unknown): void;
  /** The answer's sound. */
  onAudio(stream: MediaStream): void;
  onEvent(direction: "in" | "out", event: RealtimeEvent): void;
  /** Once the caller can talk. */
  onOpen(): void;
  /** Once, however the call ended. */
  onEnded(): void;
}

export class RealtimeCall {
  readonly #options: RealtimeCallOptions;
  readonly #peer = new RTCPeerConnection();
  readonly #channel: RTCDataChannel;
  #microphone: MediaStream | undefined;
  #callId: string | undefined;
  #isOver = false;

  constructor(options: RealtimeCallOptions) {
    this.#options = options;
    this.#channel = this.#peer.createDataChannel(EVENTS_CHANNEL);
    this.#channel.addEventListener("open", () => options.onOpen());
    this.#channel.addEventListener("close", () => this.#end());
    this.#channel.addEventListener("message", ({ data }) => {
      if (typeof data === "string") options.onEvent("in", JSON.parse(data));
    });
    this.#peer.addEventListener("track", ({ streams: [stream], track }) => {
      options.onAudio(stream ?? new MediaStream([track]));
    });
    this.#peer.addEventListener("connectionstatechange", () => {
      if (this.#peer.connectionState === "failed") this.#end();
    });
  }

  /** Connects. Throws RequestError if the service refuses; nothing once the call was hung up. */
  async start(): Promise<void> {
    try {
      this.#microphone = await this.#openMicrophone();
      // The person has hung up before the browser's question was answered.
      if (this.#isOver) {
        this.#closeMicrophone();
        return;
      }
      if (this.#microphone) {
        this.#options.onMicrophone(this.#microphone);
        for (const track of this.#microphone.getTracks()) this.#peer.addTrack(track, this.#microphone);
      } else {
        this.#peer.addTransceiver("audio", { direction: "recvonly" });
      }
      await this.#peer.setLocalDescription(await this.#peer.createOffer());
      const sdp = await this.#connect(this.#peer.localDescription?.sdp ?? "");
      if (!this.#isOver) await this.#peer.setRemoteDescription({ type: "answer", sdp });
    } catch (error) {
      if (this.#isOver) return;
      this.#end();
      throw error;
    }
  }

  /** Sends an event. Does nothing before the call is open. */
  send(event: RealtimeEvent): void {
    if (this.#channel.readyState !== "open") return;
    this.#channel.send(JSON.stringify(event));
    this.#options.onEvent("out", event);
  }

  set isMuted(isMuted: boolean) {
    for (const track of this.#microphone?.getTracks() ?? []) track.enabled = !isMuted;
  }

  /** Ends the call and tells the service. Idempotent. */
  async hangUp(): Promise<void> {
    const callId = this.#callId;
    this.#end();
    if (callId === undefined) return;
    this.#callId = undefined;
    await fetch(this.#url(), {
      method: "POST",
      headers: { ...(await this.#options.headers()), "content-type": "application/json" },
      body: JSON.stringify({ action: "hangup", call: callId }),
      // The service ends the call by itself once the peer has gone.
    }).catch(() => undefined);
  }

  #url(): URL {
    return new URL("v1/realtime/connect", this.#options.base);
  }

  async #connect(offer: string): Promise<string> {
    const url = this.#url();
    url.searchParams.set("model", this.#options.model);
    const headers = { ...(await this.#options.headers()), "content-type": "application/sdp" };
    const answer = await fetch(url, { method: "POST", headers, body: offer }).catch(() => undefined);
    if (!answer) throw new RequestError("NETWORK", "The service cannot be reached. Check whether it runs.");
    const text = await answer.text();
    if (answer.status === 201) {
      this.#callId = answer.headers.get("x-service-call") ?? undefined;
      return text;
    }
    throw refusalOf(answer.status, text);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#closeMicrophone();
    this.#peer.close();
    this.#options.onEnded();
  }

  async #openMicrophone(): Promise<MediaStream | undefined> {
    try {
      return await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true } });
    } catch (error) {
      if (!this.#isOver) this.#options.onNoMicrophone(error);
      return undefined;
    }
  }

  #closeMicrophone(): void {
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
  }
}

function refusalOf(status: number, text: string): RequestError {
  try {
    const { error } = JSON.parse(text);
    return new RequestError(String(error.code), String(error.message));
  } catch {
    return new RequestError("BAD_ANSWER", `The service answered ${status}. Try again in a moment.`);
  }
}
