import { loadOpus } from '@jackfield/media/io';
import datachannel, { type PeerConnection, type Track } from 'node-datachannel';
import type { Load } from '../measure.ts';
import { servePart } from '../part.ts';

export type WebrtcCodec = 'PCMU' | 'opus';

/** Offers and answers that the bench carries between the browsers and the part under test. */
export interface Answered {
  readonly leg: string;
  readonly sdp: string;
}

/** Peers of node-datachannel in place of browsers: each offers, and sends and hears 50 packets a second. */
interface Peer {
  readonly connection: PeerConnection;
  readonly track: Track;
  readonly codec: WebrtcCodec;
  readonly opened: Promise<void>;
  readonly ssrc: number;
  isTalking: boolean;
  sequence: number;
  received: number;
}

const frameMs = 20;
/** Frames that a busy machine has missed for longer are not sent. */
const mostLateMs = 100;
const payloadTypes = { PCMU: 0, opus: 111 } as const;
const clocks = { PCMU: 160, opus: 960 } as const;
const payloads = await encodedTones();
const peers = new Map<string, Peer>();
let ssrcs = 1000;
let isTalking = false;

servePart({
  async offer({ leg, codec }: { readonly leg: string; readonly codec: WebrtcCodec }): Promise<Answered> {
    const connection = new datachannel.PeerConnection(leg, { iceServers: [], bindAddress: '127.0.0.1' });
    const audio = new datachannel.Audio('0', 'SendRecv');
    const ssrc = ++ssrcs;
    if (codec === 'opus') audio.addOpusCodec(111);
    else audio.addAudioCodec(0, 'PCMU/8000');
    audio.addSSRC(ssrc, 'bench', 'bench', 'audio');
    const track = connection.addTrack(audio);
    const opened = new Promise<void>((resolve) => track.onOpen(resolve));
    const peer: Peer = { connection, track, codec, opened, ssrc, isTalking: false, sequence: 0, received: 0 };
    // RTCP comes this way as well: its types are from 200 on (RFC 5761 §4).
    track.onMessage((packet) => {
      if ((packet[1]! & 0x7f) === payloadTypes[codec]) peer.received++;
    });
    peers.set(leg, peer);
    const gathered = new Promise<void>((resolve) =>
      connection.onGatheringStateChange((state) => state === 'complete' && resolve()),
    );
    connection.setLocalDescription('offer');
    await gathered;
    return { leg, sdp: connection.localDescription()!.sdp };
  },
  /** Resolves with the milliseconds until audio can pass. */
  async accept({ leg, sdp }: Answered): Promise<number> {
    const peer = peers.get(leg)!;
    const { connection, opened } = peer;
    const start = performance.now();
    connection.setRemoteDescription(sdp, 'answer');
    await opened;
    const tookMs = performance.now() - start;
    // A browser speaks from here on, and its first packet ends the handshake on the other side.
    peer.isTalking = true;
    talk();
    return tookMs;
  },
  /** Counts for so many seconds the packets that peers receive from each other. */
  async run({ seconds }: { readonly seconds: number }): Promise<Load> {
    const all = [...peers.values()];
    const before = all.map(({ received }) => received);
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const operations = all.reduce((sum, { received }, index) => sum + received - before[index]!, 0);
    const expected = all.length * seconds * 50;
    // A busy machine loses packets and lowers the rate, as in other benches; a room without audio is a failure.
    const failures = operations < expected * 0.2 ? expected - operations : 0;
    return { operations, seconds: (performance.now() - start) / 1000, failures };
  },
  close() {
    for (const { connection } of peers.values()) connection.close();
    peers.clear();
  },
  stop() {
    for (const { connection } of peers.values()) connection.close();
    datachannel.cleanup();
  },
});

/** Peers talk without a pause, as browsers do, also while the bench reads memory: a relay ends where packets stay away. */
function talk(): void {
  if (isTalking) return;
  isTalking = true;
  let frame = 0;
  let dueMs = performance.now();
  const next = (): void => {
    for (const peer of peers.values()) if (peer.isTalking) send(peer, frame);
    frame++;
    dueMs = Math.max(dueMs + frameMs, performance.now() - mostLateMs);
    setTimeout(next, Math.max(0, dueMs - performance.now())).unref();
  };
  next();
}

function send(peer: Peer, frame: number): void {
  const { codec } = peer;
  const frames = payloads[codec];
  const payload = frames[frame % frames.length]!;
  const packet = Buffer.alloc(12 + payload.length);
  packet[0] = 0x80;
  packet[1] = payloadTypes[codec];
  packet.writeUInt16BE(peer.sequence & 0xffff, 2);
  packet.writeUInt32BE((peer.sequence * clocks[codec]) >>> 0, 4);
  packet.writeUInt32BE(peer.ssrc, 8);
  packet.set(payload, 12);
  peer.sequence++;
  peer.track.sendMessageBinary(packet);
}

/** A second of a tone in each codec. */
async function encodedTones(): Promise<Readonly<Record<WebrtcCodec, readonly Uint8Array[]>>> {
  const opus = (await loadOpus())('');
  const frames = Array.from({ length: 50 }, (_, frame) => {
    const samples = Int16Array.from({ length: 960 }, (_, i) =>
      Math.round(8000 * Math.sin((2 * Math.PI * 440 * (960 * frame + i)) / 48_000)),
    );
    const packet = new Uint8Array(1275);
    return packet.slice(0, opus.encode(samples, 960, packet, 0));
  });
  opus.close?.();
  return { PCMU: [new Uint8Array(160).fill(0x35)], opus: frames };
}
