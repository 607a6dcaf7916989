// The parts of livekit-client that a face uses, so that it needs no copy of it: its `Room` and tracks fit these types.

/** A `Track`. */
export interface LiveKitTrack {
  readonly kind: string;
  readonly mediaStreamTrack: MediaStreamTrack;
  readonly attachedElements?: readonly HTMLMediaElement[];
  attach(element: HTMLMediaElement): HTMLMediaElement;
  detach(element: HTMLMediaElement): HTMLMediaElement;
  setVolume?(volume: number): void;
  getVolume?(): number;
  // biome-ignore lint/suspicious/noExplicitAny: its typed events fit only this.
  on(event: any, listener: (...values: any[]) => void): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  off(event: any, listener: (...values: any[]) => void): unknown;
}

/** A `TrackPublication`. */
export interface LiveKitPublication {
  readonly track?: LiveKitTrack;
}

/** A `RemoteParticipant`. */
export interface LiveKitParticipant {
  readonly identity: string;
  readonly isAgent: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly trackPublications: ReadonlyMap<string, LiveKitPublication>;
}

/** A `Room`. */
export interface LiveKitRoom {
  readonly localParticipant?: {
    performRpc(call: { destinationIdentity: string; method: string; payload: string }): Promise<string>;
  };
  readonly remoteParticipants: ReadonlyMap<string, LiveKitParticipant>;
  // biome-ignore lint/suspicious/noExplicitAny: its typed events fit only this.
  on(event: any, listener: (...values: any[]) => void): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  off(event: any, listener: (...values: any[]) => void): unknown;
}
