import type { CallMedia, MediaListener } from '../environment.ts';
import type { AudioDevices } from './audio-devices.ts';

/** Options of a call's audio. */
export interface PeerMediaOptions {
  readonly iceServers: readonly RTCIceServer[];
  /** MIME subtypes in the order of preference, such as `opus` and `PCMU`; undefined leaves it to the browser. */
  readonly codecs: readonly string[] | undefined;
}

/** Length of an RFC 4733 event and of the gap after it. */
const DIGIT_MS = 160;
const GAP_MS = 100;

/** The audio of one call: one RTCPeerConnection with one audio line. */
export function createPeerMedia(
  devices: AudioDevices,
  { iceServers, codecs }: PeerMediaOptions,
  listener: MediaListener,
): CallMedia {
  const peer = new RTCPeerConnection({ iceServers: [...iceServers], bundlePolicy: 'max-bundle' });
  let microphone: Promise<MediaStream> | undefined;
  let isSilent = false;
  let isClosed = false;
  let release = (): void => undefined;

  peer.onconnectionstatechange = () => {
    const state = peer.connectionState;
    if (state === 'connected' || state === 'disconnected' || state === 'failed') listener.connection(state);
  };
  peer.ontrack = ({ track }) => devices.play(peer, new MediaStream([track]), listener.blocked);

  const sender = (): RTCRtpSender | undefined => peer.getSenders()[0];

  async function openMicrophone(): Promise<MediaStream> {
    microphone ??= devices.openMicrophone(peer, (stream) => {
      microphone = Promise.resolve(stream);
      silenceTracks(stream);
      void sender()?.replaceTrack(stream.getAudioTracks()[0] ?? null);
    });
    const stream = await microphone;
    if (isClosed) devices.close(peer);
    silenceTracks(stream);
    return stream;
  }

  function silenceTracks(stream: MediaStream): void {
    for (const track of stream.getAudioTracks()) track.enabled = !isSilent;
  }

  async function audioLine(): Promise<RTCRtpTransceiver> {
    const track = (await openMicrophone()).getAudioTracks()[0] ?? null;
    const line = peer.getTransceivers()[0] ?? peer.addTransceiver(track ?? 'audio');
    if (line.sender.track !== track) await line.sender.replaceTrack(track);
    if (codecs !== undefined) line.setCodecPreferences(preferred(codecs));
    if (line.sender.dtmf) line.sender.dtmf.ontonechange = ({ tone }) => tone !== '' && listener.digit(tone);
    return line;
  }

  return {
    async describe({ offer, isHeld, restartsIce }) {
      if (offer !== undefined) await peer.setRemoteDescription({ type: 'offer', sdp: offer });
      const line = await audioLine();
      line.direction = isHeld ? 'sendonly' : 'sendrecv';
      await peer.setLocalDescription(
        offer === undefined ? await peer.createOffer({ iceRestart: restartsIce }) : await peer.createAnswer(),
      );
      release = () => devices.close(peer);
      // Without candidates: the server is an ICE-lite agent, which learns ours from our checks (RFC 8445 §7.3.1.3).
      return peer.localDescription?.sdp ?? '';
    },
    async applyAnswer(sdp, isEarly) {
      if (peer.signalingState === 'stable') return;
      await peer.setRemoteDescription({ type: isEarly ? 'pranswer' : 'answer', sdp });
    },
    async rollBack() {
      if (peer.signalingState !== 'stable') await peer.setLocalDescription({ type: 'rollback' });
    },
    silence(requested) {
      isSilent = requested;
      void microphone?.then(silenceTracks, () => undefined);
    },
    canSendDigits: () => sender()?.dtmf?.canInsertDTMF === true,
    insertDigits(digits) {
      const dtmf = sender()?.dtmf;
      // What is still to be sent goes first: insertDTMF replaces it.
      dtmf?.insertDTMF(dtmf.toneBuffer + digits, DIGIT_MS, GAP_MS);
    },
    async counters() {
      const { countersOf } = await import('./audio-counters.ts');
      return countersOf(await peer.getStats());
    },
    close() {
      isClosed = true;
      peer.onconnectionstatechange = null;
      peer.close();
      release();
      devices.close(peer);
    },
  };
}

/** The codecs of these names in this order, and the browser's telephone events. */
function preferred(codecs: readonly string[]): RTCRtpCodec[] {
  const known = RTCRtpReceiver.getCapabilities('audio')?.codecs ?? [];
  return [...codecs, 'telephone-event'].flatMap((name) =>
    known.filter(({ mimeType }) => mimeType.toLowerCase() === `audio/${name.toLowerCase()}`),
  );
}
