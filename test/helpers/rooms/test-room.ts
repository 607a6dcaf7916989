// A room of a test. Calls of LiveKit's native client have no time limit of their own.
import { Room } from "@livekit/rtc-node";
import { within } from "../wait-for.ts";

/** Joins and leaves within a minute, or throws an Error that says which of them did not end. */
export class TestRoom extends Room {
  override connect(...details: Parameters<Room["connect"]>): Promise<void> {
    return within(super.connect(...details), "joining a room");
  }

  override disconnect(): Promise<void> {
    return within(super.disconnect(), `leaving room ${this.name}`);
  }
}
