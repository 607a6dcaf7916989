// A session that its viewer renders, with a real worker: what it counts as time without video, and what that costs.
import { type RemoteParticipant, RoomEvent, TrackKind } from "@livekit/rtc-node";
import t from "tap";
import { AGENT_NAME } from "../../shared/wire-names.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { AvatarWatch } from "../../web/embed/avatar-watch.ts";
import { bakedFace } from "../helpers/faces/baked-face.ts";
import { withLiveKit } from "../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { withApi } from "../helpers/service/with-api.ts";
import { withWorker } from "../helpers/service/with-worker.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only a test that hangs: on a busy machine, starting a session process takes up to half a minute. */
const SLOW_MS = 120_000;
const LOCAL = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };

t.test("a worker reports the time without video, which costs the self-hosted rate", { timeout: SLOW_MS }, async (t) => {
  await withLiveKit((livekit) =>
    withApi(
      (api) =>
        withWorker({ livekit, environment: { ...LOCAL, AVATAR_API_URL: api.baseUrl } }, async () => {
          const { account, secret } = await api.addAccount({ credits: 1000 });
          const agent_id = await addAgent(api.services, { userId: account.userId });
          await api.services.storage.put(
            `models/${agent_id}-essence-2.imx`,
            await writeImx(await bakedFace("photograph")),
          );
          const body = { agent_id, fingerprint: "a visitor" };
          const { token: bearer } = (await api.call("POST", "/v1/embed-tokens/request", { secret, body })).body.data;
          const started = await api.call("POST", "/embed/session", { bearer, body: { render: "local" } });
          t.match(started, { status: 200, body: { renderer: "local" } });
          const room = new TestRoom();
          const avatar = new Promise<RemoteParticipant>((resolve) => {
            const look = () => {
              const found = room.remoteParticipants.get(AGENT_NAME);
              if (found && [...found.trackPublications.values()].some(({ kind }) => kind === TrackKind.KIND_VIDEO)) {
                resolve(found);
              }
            };
            room
              .on(RoomEvent.TrackPublished, look)
              .on(RoomEvent.ParticipantConnected, look)
              .on(RoomEvent.Connected, look);
          });
          await room.connect(livekit.url, started.body.token, { autoSubscribe: false, dynacast: false });
          const list = async () =>
            (await api.call("GET", `/v2/${account.userId}/runtime-sessions`, { secret })).body.data.sessions;
          const { id } = (await list())[0];
          const seen = async () => (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body;
          const usage = async () =>
            (await api.call("GET", "/v1/usage", { secret })).body.data.map(
              ({ pricing_code }: { pricing_code: string }) => pricing_code,
            );
          const findAvatar = () => room.remoteParticipants.get(AGENT_NAME);
          await waitFor(findAvatar, "the avatar is in the room", 60_000);
          const watch = new AvatarWatch({
            call: (method, payload, responseTimeout) =>
              room.localParticipant?.performRpc({ destinationIdentity: AGENT_NAME, method, payload, responseTimeout }),
            hasTracks: () => (findAvatar()?.trackPublications.size ?? 0) > 0,
          });
          try {
            t.same(await watch.ask("motion"), { ok: true, renders: "motion" }, "it is asked as soon as it is there");
            const { trackPublications } = await avatar;
            await waitFor(async () => (await seen()).billed_seconds > 4, "some heartbeats", 20_000);
            const local = await seen();
            t.equal(local.viewer_rendered_seconds, local.billed_seconds, "no video was streamed");
            t.same(await usage(), ["usage_essence_2_model_self_hosted"]);

            t.same(await watch.ask("video"), { ok: true, renders: "video" });
            for (const publication of trackPublications.values()) publication.setSubscribed(true);
            const streamed = async () => {
              const { billed_seconds, viewer_rendered_seconds } = await seen();
              return billed_seconds - viewer_rendered_seconds;
            };
            await waitFor(async () => (await streamed()) > 3, "time with video", 20_000);
            t.same((await usage()).sort(), ["usage_essence_2_model_cloud", "usage_essence_2_model_self_hosted"]);
            const ended = await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
            t.equal(ended.status, 200);
            t.ok(ended.body.viewer_rendered_seconds >= local.viewer_rendered_seconds);
          } finally {
            await room.disconnect();
          }
        }),
      { livekit, environment: LOCAL },
    ),
  );
});
