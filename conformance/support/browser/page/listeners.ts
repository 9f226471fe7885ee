import type { ConnectionReport } from '../connection-report.ts';

/** Runs before the program of a page: it notes each peer connection, hears its remote audio and replaces the microphone. */
interface Settings {
  readonly toneHz?: number;
  readonly isTcpOnly: boolean;
  readonly isRelayOnly: boolean;
}

interface Heard {
  readonly connection: RTCPeerConnection;
  analyser: AnalyserNode | undefined;
}

const noted: Heard[] = [];
const elements: HTMLAudioElement[] = [];
let context: AudioContext | undefined;

/** Two seconds are one window of the analyser at this rate. */
const sampleRate = 16_000;
const windowSize = 32_768;

export function listen({ toneHz, isTcpOnly, isRelayOnly }: Settings): void {
  // The hosted SDK refuses to log in on a machine that has loopback alone, where the platform is.
  Object.defineProperty(navigator, 'onLine', { value: true });
  const Native = globalThis.RTCPeerConnection;
  globalThis.RTCPeerConnection = new Proxy(Native, {
    construct(target, [configuration, ...more], newTarget) {
      const relayed = isRelayOnly ? { ...configuration, iceTransportPolicy: 'relay' } : configuration;
      const connection = Reflect.construct(target, [relayed, ...more], newTarget) as RTCPeerConnection;
      note(connection);
      return connection;
    },
  });
  if (isTcpOnly) forgetUdp(Native.prototype);
  if (toneHz !== undefined) replaceMicrophone(toneHz);
  Object.assign(globalThis, { listeners: { heard, connections } });
}

function note(connection: RTCPeerConnection): void {
  const heard: Heard = { connection, analyser: undefined };
  noted.push(heard);
  connection.addEventListener('track', ({ track }) => {
    const stream = new MediaStream([track]);
    // Without an element that plays it, Chromium gives WebAudio silence.
    const element = new Audio();
    element.muted = true;
    element.srcObject = stream;
    void element.play().catch(() => {});
    elements.push(element);
    context ??= new AudioContext({ sampleRate });
    heard.analyser = context.createAnalyser();
    heard.analyser.fftSize = windowSize;
    context.createMediaStreamSource(stream).connect(heard.analyser);
  });
}

/** The last window in 16-bit samples, as base64. */
function heard(index: number): string {
  const analyser = noted.at(index)?.analyser;
  const window = new Float32Array(windowSize);
  analyser?.getFloatTimeDomainData(window);
  const samples = Int16Array.from(window, (value) => Math.max(-1, Math.min(1, value)) * 32767);
  let text = '';
  for (const byte of new Uint8Array(samples.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

async function connections(): Promise<ConnectionReport[]> {
  return Promise.all(noted.map(({ connection }) => reportOf(connection)));
}

// biome-ignore lint/suspicious/noExplicitAny: the DOM types of getStats name few of its members
type Entry = Record<string, any>;

async function reportOf(connection: RTCPeerConnection): Promise<ConnectionReport> {
  const entries: Entry[] = [];
  const byId = new Map<string, Entry>();
  (await connection.getStats()).forEach((entry: Entry) => {
    entries.push(entry);
    byId.set(entry.id, entry);
  });
  const first = (type: string): Entry => entries.find((entry) => entry.type === type) ?? {};
  const [sent, received, transport] = [first('outbound-rtp'), first('inbound-rtp'), first('transport')];
  // Firefox names the pair at the pair.
  const selected = entries.find(({ type, selected }) => type === 'candidate-pair' && selected === true);
  const pair = byId.get(transport.selectedCandidatePairId) ?? selected ?? {};
  const [local, remote] = [byId.get(pair.localCandidateId) ?? {}, byId.get(pair.remoteCandidateId) ?? {}];
  const codec = (entry: Entry): string => byId.get(entry.codecId)?.mimeType ?? '';
  return {
    state: connection.connectionState,
    iceState: connection.iceConnectionState,
    sent: { packets: sent.packetsSent ?? 0, bytes: sent.bytesSent ?? 0, codec: codec(sent) },
    received: {
      packets: received.packetsReceived ?? 0,
      bytes: received.bytesReceived ?? 0,
      lost: received.packetsLost ?? 0,
      codec: codec(received),
    },
    path: {
      kind: local.candidateType ?? '',
      protocol: local.relayProtocol ?? local.protocol ?? '',
      remoteAddress: remote.address ?? '',
      remotePort: remote.port ?? 0,
      localPort: local.port ?? 0,
    },
    remoteUfrag: /^a=ice-ufrag:(\S+)/m.exec(connection.remoteDescription?.sdp ?? '')?.[1] ?? '',
    dtls: transport.dtlsState ?? '',
    srtp: transport.srtpCipher ?? '',
  };
}

function forgetUdp(prototype: RTCPeerConnection): void {
  const native = prototype.setRemoteDescription as (description: RTCSessionDescriptionInit) => Promise<void>;
  prototype.setRemoteDescription = function (
    this: RTCPeerConnection,
    description: RTCSessionDescriptionInit,
  ) {
    const sdp = (description.sdp ?? '').replace(/^a=candidate:\S+ \d+ udp .*\r\n/gim, '');
    return native.call(this, { type: description.type, sdp });
  };
}

function replaceMicrophone(toneHz: number): void {
  navigator.mediaDevices.getUserMedia = async () => {
    const tone = new AudioContext();
    const [oscillator, gain, destination] = [
      tone.createOscillator(),
      tone.createGain(),
      tone.createMediaStreamDestination(),
    ];
    oscillator.frequency.value = toneHz;
    // −12 dB, as the phones of baresip.
    gain.gain.value = 0.25;
    oscillator.connect(gain).connect(destination);
    oscillator.start();
    return destination.stream;
  };
}
