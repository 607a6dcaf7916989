// Which face the visitor sees: one that this tab renders, or the stream. It never changes by itself once one is shown.
import type { WatchNeeds } from "../../shared/watch.ts";
import type { AvatarRoom } from "./avatar-room.ts";
import type { WatchOutcome } from "./avatar-watch.ts";
import type { EmbedSession } from "./embed-client.ts";
import type { RenderChoice } from "./embed-parameters.ts";
import type { Bundle } from "./fetch-bundle.ts";
import type { LocalFace, LocalFaceProblem } from "./local-face.ts";
import type { OfferReason } from "./stream-offer.ts";

export interface ViewerFaceOptions {
  render: RenderChoice;
  token: string;
  showCanvas(canvas: HTMLCanvasElement): void;
  showVideo(): void;
  /** The canvas shows the face at rest, which does not move yet. */
  showStill(): void;
  /** Width by height. */
  setRatio(ratio: number): void;
  /** Share of the avatar's file that is there; undefined once nothing more is awaited. */
  showProgress(share: number | undefined): void;
  /** Offers the stream; undefined takes that back. */
  offer(reason: OfferReason | undefined, fps?: number): void;
  /** No video can be had, and there is no other face. */
  onRefused(code: string): void;
}

export class ViewerFace {
  readonly #options: ViewerFaceOptions;
  readonly #module: Promise<typeof import("./local-face.ts")> | undefined;
  #LocalFace: typeof LocalFace | undefined;
  #local: LocalFace | undefined;
  /** The file that the next session will most likely have, and that of `#local`. */
  #expected: Bundle | undefined;
  #opened: Bundle | undefined;
  #hasSession = false;
  #hasShown = false;
  /** Whether a slow face was kept: it is not asked again. */
  #keepsSlow = false;
  #room: AvatarRoom | undefined;
  #needs: WatchNeeds = "video";
  #isOffering = false;

  constructor(options: ViewerFaceOptions) {
    this.#options = options;
    if (options.render !== "stream") this.#module = import("./local-face.ts");
  }

  /** Starts what a face of the tab needs besides the session. */
  async prepare(): Promise<void> {
    this.close();
    this.#hasShown = false;
    this.#needs = "video";
    this.#offer(undefined);
    if (this.#options.render === "stream") return;
    this.#needs = "motion";
    const module = await this.#module?.catch(() => undefined);
    if (!module) return this.#failed("browser");
    this.#LocalFace = module.LocalFace;
    this.#makeLocal();
    if (this.#expected) this.#open(this.#expected);
  }

  /** What the service says before it has a session: the file is loaded and opened meanwhile. */
  expect(bundle: Bundle | undefined): void {
    this.#expected = bundle;
    if (bundle && this.#local && !this.#opened) this.#open(bundle);
  }

  /** Joins the room of a session with what the face needs of it. Rejects as `AvatarRoom.join`. */
  async join(room: AvatarRoom, { bundle, livekitUrl, livekitToken }: EmbedSession): Promise<void> {
    this.#hasSession = true;
    if (this.#needs === "motion") {
      if (bundle) this.#open(bundle);
      else this.#streamOnly();
    }
    this.#room = room;
    await room.join(livekitUrl, livekitToken, this.#needs);
  }

  /** A packet of the avatar's motion. */
  move(packet: Uint8Array): void {
    this.#local?.move(packet);
  }

  /** What receives the audio that the visitor hears. */
  follow(receiver: RTCRtpReceiver | undefined): void {
    this.#local?.follow(receiver);
  }

  /** What the avatar answered. */
  watched(needs: WatchNeeds, outcome: WatchOutcome): void {
    if (needs !== this.#needs) return;
    const answer = typeof outcome === "object" ? outcome : undefined;
    if (needs === "motion" && !(answer?.ok && answer.renders === "motion")) this.#failed("refused");
    if (needs === "video" && answer?.ok === false && answer.code === "SERVICE_UNAVAILABLE") this.#noVideo(answer.code);
  }

  /** The visitor wants the stream. A face that moves stays until the avatar has agreed. */
  async takeVideo(): Promise<void> {
    const room = this.#room;
    this.#offer(undefined);
    if (!this.#local || !this.#hasShown || !room) return this.#stream();
    const outcome = await room.needVideo();
    if (room !== this.#room) return;
    const isAgreed = outcome !== undefined && (typeof outcome !== "object" || outcome.ok);
    if (!isAgreed) return this.#offer("busy");
    this.#needs = "video";
    this.#closeLocal();
    this.#options.showVideo();
  }

  /** The visitor keeps a face that is slow. */
  keep(): void {
    this.#keepsSlow = true;
    this.#offer(undefined);
  }

  /** The session is over. Idempotent. */
  close(): void {
    this.#closeLocal();
    this.#hasSession = false;
    this.#room = undefined;
    this.#isOffering = false;
  }

  #makeLocal(): void {
    this.#closeLocal();
    const options = this.#options;
    const LocalFace = this.#LocalFace;
    if (!LocalFace) return;
    const local = new LocalFace({
      // It may be replaced meanwhile.
      get token() {
        return options.token;
      },
      onProgress: (share) => options.showProgress(share < 1 ? share : undefined),
      onOpened: (widthPx, heightPx) => {
        options.setRatio(widthPx / heightPx);
        options.showStill();
      },
      onShown: () => {
        this.#hasShown = true;
        this.#room?.faceShown();
      },
      onSlow: (fps) => this.#keepsSlow || this.#offer("slow", fps),
      onFailed: (problem) => this.#localFailed(problem),
    });
    this.#local = local;
    options.showCanvas(local.canvas);
  }

  /** The session may have another file than was expected. */
  #localFailed(problem: LocalFaceProblem): void {
    if (problem !== "bundle" || this.#hasSession) this.#failed(problem);
    else {
      this.#expected = undefined;
      this.#makeLocal();
    }
  }

  #open(bundle: Bundle): void {
    if (this.#opened?.sha256 === bundle.sha256) return;
    // The agent got another file meanwhile, and a renderer takes one.
    if (this.#opened) this.#makeLocal();
    this.#opened = bundle;
    void this.#local?.open(bundle);
  }

  #offer(reason: OfferReason | undefined, fps?: number): void {
    // The notice of another thing may be in its place.
    if (reason === undefined && !this.#isOffering) return;
    this.#isOffering = reason !== undefined;
    this.#options.offer(reason, fps);
  }

  #closeLocal(): void {
    this.#local?.close();
    this.#local = undefined;
    this.#opened = undefined;
  }

  /** Nothing was shown yet, and the address leaves it to the page: the stream. Else the visitor decides. */
  #failed(reason: LocalFaceProblem | "refused"): void {
    this.#closeLocal();
    this.#options.showProgress(undefined);
    if (this.#options.render === "auto" && !this.#hasShown) this.#stream();
    else this.#wait(reason);
  }

  /** The service streams this agent to everyone: its owner has decided so. */
  #streamOnly(): void {
    this.#closeLocal();
    this.#options.showProgress(undefined);
    this.#stream();
  }

  #stream(): void {
    this.#needs = "video";
    this.#options.showVideo();
    this.#room?.useVideo();
  }

  #noVideo(code: string): void {
    if (this.#options.render === "local") this.#wait("busy");
    else this.#options.onRefused(code);
  }

  /** Until the visitor decides. */
  #wait(reason: OfferReason): void {
    this.#needs = "nothing";
    this.#room?.needNothing();
    this.#offer(reason);
  }
}
