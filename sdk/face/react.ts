"use client";
// The element as a React component.
import { createElement, type HTMLAttributes, type ReactElement, useEffect, useRef } from "react";
import { type AvatarFaceElement, attachFace, type FaceError, type FaceSource, type FaceState } from "./index.ts";

export interface AvatarFaceProps extends Omit<HTMLAttributes<AvatarFaceElement>, "onError"> {
  /** Address of the avatar's file. */
  src?: string;
  /** Picture shown until the face moves. */
  poster?: string;
  /** Name of the person. */
  name?: string;
  /** Moves without being heard. */
  muted?: boolean;
  /** What the face shows: `happy`, or with an intensity `happy:0.6`. */
  emotion?: string;
  /** How lively it is by itself: `still`, `natural` or `animated`. */
  manner?: string;
  /** What it follows; see `attachFace`. */
  source?: FaceSource | null;
  /** The visitor's microphone, to which the face listens. */
  microphone?: MediaStream | null;
  onReady?(): void;
  onError?(error: FaceError): void;
  onStateChange?(state: FaceState): void;
}

export function AvatarFace(props: AvatarFaceProps): ReactElement {
  const { source, microphone, muted, onReady, onError, onStateChange, ...attributes } = props;
  const face = useRef<AvatarFaceElement>(null);
  useEffect(() => (face.current && source ? attachFace(face.current, source) : undefined), [source]);
  useEffect(() => {
    if (face.current) face.current.microphone = microphone ?? null;
  }, [microphone]);
  useEffect(() => {
    const element = face.current;
    if (!element) return;
    const listeners = {
      ready: () => onReady?.(),
      error: (event: Event) => onError?.((event as ErrorEvent).error),
      statechange: () => onStateChange?.(element.state),
    };
    for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of Object.entries(listeners)) element.removeEventListener(type, listener);
    };
  }, [onReady, onError, onStateChange]);
  return createElement("avatar-face", { ...attributes, muted: muted ? "" : undefined, ref: face });
}
