/** A peer connection whose descriptions the test carries; `addPeer` makes one more in the same page. */
const peers: RTCPeerConnection[] = [];

/** Its offer, with all candidates. */
export async function offer(): Promise<string> {
  const peer = await addPeer();
  await peer.setLocalDescription();
  return gathered(peer);
}

/** The answer of a new connection to an offer, with all candidates. */
export async function answer(sdp: string): Promise<string> {
  const peer = await addPeer();
  await peer.setRemoteDescription({ type: 'offer', sdp });
  await peer.setLocalDescription();
  return gathered(peer);
}

export async function accept(sdp: string): Promise<void> {
  await peers.at(-1)!.setRemoteDescription({ type: 'answer', sdp });
}

/** The kinds of candidates that a connection finds which may use these servers alone. */
export async function relaysOf(iceServers: RTCIceServer[]): Promise<readonly string[]> {
  const peer = new RTCPeerConnection({ iceServers, iceTransportPolicy: 'relay' });
  peers.push(peer);
  const kinds: string[] = [];
  peer.addEventListener('icecandidate', ({ candidate }) => {
    if (candidate?.type) kinds.push(candidate.type);
  });
  peer.addTransceiver('audio');
  await peer.setLocalDescription();
  await gathered(peer);
  return kinds;
}

export function close(): void {
  for (const peer of peers.splice(0)) peer.close();
}

async function addPeer(): Promise<RTCPeerConnection> {
  const peer = new RTCPeerConnection();
  peers.push(peer);
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  for (const track of stream.getTracks()) peer.addTrack(track, stream);
  return peer;
}

async function gathered(peer: RTCPeerConnection): Promise<string> {
  while (peer.iceGatheringState !== 'complete')
    await new Promise((resolve) => peer.addEventListener('icegatheringstatechange', resolve, { once: true }));
  return peer.localDescription?.sdp ?? '';
}
