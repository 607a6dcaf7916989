import { LiveKitRoom, RoomAudioRenderer, useRoomContext, useVoiceAssistant } from "@livekit/components-react";
import { AvatarFace } from "@open-avatar/face/react";
import { createRoot } from "react-dom/client";

const { VITE_LIVEKIT_URL, VITE_LIVEKIT_TOKEN, VITE_FACE = "/face.imx" } = import.meta.env;

function Assistant() {
  const room = useRoomContext();
  const { state } = useVoiceAssistant();
  return (
    <main>
      <AvatarFace src={VITE_FACE} source={room} />
      <p>{state}</p>
    </main>
  );
}

createRoot(document.getElementById("app")).render(
  <LiveKitRoom serverUrl={VITE_LIVEKIT_URL} token={VITE_LIVEKIT_TOKEN} connect audio video={false}>
    <Assistant />
    <RoomAudioRenderer />
  </LiveKitRoom>,
);
