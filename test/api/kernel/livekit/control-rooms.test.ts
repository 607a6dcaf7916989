// Control rooms on a real LiveKit server.
import { randomUUID } from "node:crypto";
import { AgentDispatchClient, RoomServiceClient } from "livekit-server-sdk";
import t from "tap";
import { createLiveKitGateway } from "../../../../api/kernel/livekit/livekit-gateway.ts";
import { CONTROL_ROOM_PREFIX } from "../../../../shared/wire-names.ts";
import { useLiveKit } from "../../../helpers/livekit/use-livekit.ts";

const LONGEST_SESSION_S = 24 * 3600;
const livekit = await useLiveKit();

t.test("a control room stays as long as a session may, though only an agent is in it", async (t) => {
  const gateway = createLiveKitGateway(livekit);
  const id = `cs_${randomUUID()}`;
  await gateway.dispatchWorker(id, "{}");
  const rooms = new RoomServiceClient(livekit.url, livekit.apiKey, livekit.apiSecret);
  const [room] = await rooms.listRooms([CONTROL_ROOM_PREFIX + id]);
  t.ok(room.emptyTimeout > LONGEST_SESSION_S, `${room.emptyTimeout} s`);
  await gateway.closeControlRoom(id);
  t.same(await rooms.listRooms([CONTROL_ROOM_PREFIX + id]), []);
});

t.test("LiveKit sends no agents of others into a control room", async (t) => {
  const gateway = createLiveKitGateway(livekit);
  const id = `cs_${randomUUID()}`;
  await gateway.dispatchWorker(id, "{}");
  const dispatches = new AgentDispatchClient(livekit.url, livekit.apiKey, livekit.apiSecret);
  const names = (await dispatches.listDispatch(CONTROL_ROOM_PREFIX + id)).map(({ agentName }) => agentName);
  t.ok(names.includes(livekit.dispatchName));
  t.notOk(names.includes(""), "the dispatch to agents that register without a name");
  await gateway.closeControlRoom(id);
});
