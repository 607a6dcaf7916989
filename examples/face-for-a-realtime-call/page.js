const face = document.querySelector("avatar-face");
const button = document.querySelector("button");

button.addEventListener("click", async () => {
  button.disabled = true;
  const peer = new RTCPeerConnection();
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true } });
  peer.addTrack(microphone.getAudioTracks()[0], microphone);
  peer.createDataChannel("oai-events");
  peer.addEventListener("track", ({ streams }) => {
    face.srcObject = streams[0];
  });
  await peer.setLocalDescription(await peer.createOffer());
  const answer = await fetch("call", { method: "POST", body: peer.localDescription.sdp });
  if (answer.ok) await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
  else button.textContent = await answer.text();
});
