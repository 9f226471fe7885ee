import { createMediaWorker, type MediaWorker } from '@jackfield/adapters/media-worker';
import datachannel, { type PeerConnection, type Track } from 'node-datachannel';
import { servePart } from '../part.ts';
import type { Answered, WebrtcCodec } from './webrtc-load.ts';
import { collectEverywhere } from './worker-garbage.ts';

/** The media worker, or the same work by node-datachannel: packets pass through JavaScript there, undecoded. */
export type WebrtcServer = 'media-worker' | 'node-datachannel';

export interface WebrtcRooms {
  /** Legs of one room hear each other. */
  readonly rooms: readonly (readonly string[])[];
}

export interface WebrtcMemory {
  readonly residentBytes: number;
  /** Objects and buffers of JavaScript in all threads, which no page of an allocator blurs. */
  readonly heldBytes: number;
}

const host = '127.0.0.1';
const webrtcPort = 39_900;
let media: MediaWorker | undefined;
const connections = new Map<string, PeerConnection>();
const tracks = new Map<string, Track>();

servePart({
  async start({ server }: { readonly server: WebrtcServer }): Promise<string> {
    if (server === 'node-datachannel') return '';
    let problem = '';
    media = await createMediaWorker({
      host,
      ports: { first: 39_700, last: 39_899 },
      webrtcPort,
      onWebrtcOff: (reason) => {
        problem = reason;
      },
    });
    return problem;
  },
  answer: (offer: Answered & { readonly codec: WebrtcCodec }) =>
    media === undefined ? answerOfRival(offer) : answerOfWorker(media, offer),
  hear({ rooms }: WebrtcRooms) {
    for (const legs of rooms) {
      if (media === undefined) {
        relayEachOther(legs);
        continue;
      }
      const mix = `room-${legs[0]}`;
      media.send({ do: 'open-mix', mix });
      const members = legs.map((leg) => ({ leg, hears: legs.filter((other) => other !== leg) }));
      media.send({ do: 'set-hearing', mix, members });
    }
  },
  async memory(): Promise<WebrtcMemory> {
    const { heap, buffers } = await collectEverywhere();
    return { residentBytes: process.memoryUsage().rss, heldBytes: heap + buffers };
  },
  async stop() {
    for (const connection of connections.values()) connection.close();
    await media?.closeAll();
    if (media === undefined) datachannel.cleanup();
  },
});

async function answerOfWorker(
  worker: MediaWorker,
  { leg, sdp, codec }: Answered & { readonly codec: WebrtcCodec },
) {
  const ice = { fragment: `f${leg}`.padEnd(8, 'x'), password: `p${leg}`.padEnd(24, 'x') };
  const { port, webrtc } = await worker.open(leg, ice);
  const payloadType = codec === 'opus' ? 111 : 0;
  worker.connect(leg, {
    address: '0.0.0.0',
    port: 9,
    codec,
    payloadType,
    direction: 'sendrecv',
    ptimeMs: 20,
    protection: {
      by: 'dtls',
      fingerprints: [{ hash: 'sha-256', value: /a=fingerprint:sha-256 (\S+)/i.exec(sdp)![1]! }],
      ice,
    },
  });
  const mid = /a=mid:(\S+)/.exec(sdp)![1];
  const lines = [
    'v=0',
    `o=- 1 1 IN IP4 ${host}`,
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    'a=ice-lite',
    `m=audio ${port} UDP/TLS/RTP/SAVPF ${payloadType}`,
    `c=IN IP4 ${host}`,
    `a=mid:${mid}`,
    'a=sendrecv',
    'a=rtcp-mux',
    codec === 'opus' ? 'a=rtpmap:111 opus/48000/2' : 'a=rtpmap:0 PCMU/8000',
    `a=ice-ufrag:${ice.fragment}`,
    `a=ice-pwd:${ice.password}`,
    `a=fingerprint:sha-256 ${webrtc!.fingerprint.value}`,
    'a=setup:passive',
    `a=candidate:1 1 UDP 2130706431 ${host} ${port} typ host`,
    'a=end-of-candidates',
    '',
  ];
  return { leg, sdp: lines.join('\r\n') };
}

async function answerOfRival({ leg, sdp }: Answered): Promise<Answered> {
  const connection = new datachannel.PeerConnection(leg, { iceServers: [], bindAddress: host });
  connections.set(leg, connection);
  connection.onTrack((track) => tracks.set(leg, track));
  const gathered = new Promise<void>((resolve) =>
    connection.onGatheringStateChange((state) => state === 'complete' && resolve()),
  );
  // Without candidates, as towards the media worker: a check that comes before its answer ends the offering connection.
  const withoutCandidates = sdp.replaceAll(/^a=(candidate:.*|end-of-candidates)\r\n/gm, '');
  connection.setRemoteDescription(withoutCandidates, 'offer');
  await gathered;
  return { leg, sdp: connection.localDescription()!.sdp };
}

/** Of two: each packet goes on to the other. */
function relayEachOther(legs: readonly string[]): void {
  for (const leg of legs) {
    const others = legs.filter((other) => other !== leg).map((other) => tracks.get(other)!);
    tracks.get(leg)!.onMessage((packet) => {
      for (const other of others) other.sendMessageBinary(packet);
    });
  }
}
