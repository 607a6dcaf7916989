// States of the flow, and which may follow which.
//
//   empty       A sample face moves. Waits for a picture.
//   describing  Waits for words instead of a picture.
//   opening     Looks for an agent that exists.
//   finding     Looks for faces in the picture.
//   framing     The visitor chooses a face, or crops and turns the picture.
//   waking      The face is baked in this tab.
//   chosen      The face moves in this tab. Waits for a voice.
//   access      Waits for an API secret, and then goes on with what the visitor wanted.
//   making      The service makes the avatar; the face in the tab goes on moving.
//   marking     A person marks the face.
//   refused     Says why there is no avatar, and what can be done.
//   talking     The avatar is on the stage.
import { defineMoves } from "../../program/state-machine.ts";

export type CreateState =
  | "empty"
  | "describing"
  | "opening"
  | "finding"
  | "framing"
  | "waking"
  | "chosen"
  | "access"
  | "making"
  | "marking"
  | "refused"
  | "talking";

/** A picture may come in each of these, and replaces the one that is there. */
export const TAKES_PICTURES: readonly CreateState[] = [
  "empty",
  "describing",
  "finding",
  "framing",
  "waking",
  "chosen",
  "refused",
];

export const CREATE_MOVES = defineMoves<CreateState>({
  empty: ["empty", "describing", "opening", "finding", "access", "making", "refused"],
  describing: ["empty", "describing", "opening", "finding", "access", "making", "refused"],
  opening: ["empty", "access", "making", "marking", "refused", "talking"],
  finding: ["empty", "finding", "framing", "waking", "chosen", "refused"],
  framing: ["empty", "finding", "framing", "waking", "chosen", "access", "making"],
  waking: ["empty", "finding", "framing", "chosen"],
  chosen: ["empty", "finding", "framing", "waking", "access", "making", "refused"],
  access: ["empty", "describing", "opening", "chosen", "framing", "making", "access", "refused"],
  making: ["empty", "describing", "chosen", "framing", "access", "making", "marking", "refused", "talking"],
  marking: ["empty", "access", "making", "marking", "refused", "talking"],
  refused: ["empty", "describing", "opening", "finding", "framing", "chosen", "access", "making", "refused"],
  talking: ["empty", "opening", "access", "refused", "talking"],
});
