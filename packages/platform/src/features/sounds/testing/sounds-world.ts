import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpEgress } from '@jackfield/adapters/egress-http';
import { createNameLookup } from '@jackfield/adapters/name-lookup';
import { createSoundDecoder } from '@jackfield/adapters/sound-decoder';
import type { LiveEvent } from '@jackfield/contract';
import { pcmu } from '@jackfield/media';
import type { Speech } from '@jackfield/ports';
import {
  eventStreamOf,
  inSimulatedWorld,
  type SimulatedWorld,
  type SimulatedWorldOptions,
} from '@jackfield/testkit';
import type { PlayItem, PlayNotice, PlayOrder, SoundLimits } from '../index.ts';

export interface SoundsWorldOptions extends Pick<SimulatedWorldOptions, 'loggedErrors'> {
  readonly speech?: Speech;
  readonly limits?: Partial<SoundLimits>;
}

export type SoundsWorld = ReturnType<typeof wordsFor>;

const phoneAddress = '10.0.0.9';

/** A simulated world with the real decoder and HTTP client, for an owner of plays; servers of customers are on loopback. */
export async function inSoundsWorld(
  { speech, limits, ...options }: SoundsWorldOptions,
  run: (world: SoundsWorld) => Promise<void>,
): Promise<void> {
  const decoder = createSoundDecoder();
  const egress = createHttpEgress({ allow: [], privateToo: true, resolve: createNameLookup() });
  const servers = createServers();
  const silent: Speech = { speak: () => Promise.reject(new Error('nothing is spoken here')) };
  let media: SimulatedWorld['node']['media'] | undefined;
  try {
    await inSimulatedWorld(
      {
        ...options,
        phones: 'none',
        sounds: { speech: speech ?? silent, decoder },
        settings: {
          egress,
          ...(limits === undefined ? {} : { soundLimits: limits }),
        },
      },
      async (world) => {
        media = world.node.media;
        const legs = legsIn(world);
        await run(wordsFor(world, legs, servers.open));
        await legs.close();
      },
    );
  } finally {
    servers.close();
    egress.close();
    await decoder.close();
  }
  assert.equal(media?.census().clips, 0, 'no clip is left in the engine');
}

/** What a test does with sounds. */
function wordsFor(
  world: SimulatedWorld,
  legs: ReturnType<typeof legsIn>,
  server: ReturnType<typeof createServers>['open'],
) {
  const { platform, media } = world.node;
  const notices: PlayNotice[] = [];
  platform.sounds.ownedBy('test', (_owner, notice) => notices.push(notice));
  return {
    ...playsOf(world, notices),
    world,
    sounds: platform.sounds,
    orders: media.orders,
    notices,
    leg: legs.open,
    hangUp: legs.hangUp,
    server,
    census: () => platform.census().sounds!,
    /** Events of sounds, the oldest first. */
    events: async (): Promise<readonly LiveEvent[]> => eventStreamOf(world),
    /** The text of the metrics. */
    metrics: async () => (await platform.http.inject('/metrics')).body,
  };
}

/** Legs of the media engine, without calls. */
function legsIn({ node: { media }, network }: SimulatedWorld) {
  const opened = new Map<string, () => void>();
  let ports = 5_000;
  async function hangUp(name: string): Promise<void> {
    opened.get(name)?.();
    opened.delete(name);
    await media.close(name);
  }
  return {
    hangUp,
    /** Opens a leg; resolves with the audio that it hears, frame by frame. */
    async open(name: string): Promise<Int16Array[]> {
      const heard: Int16Array[] = [];
      ports += 2;
      const at = { address: phoneAddress, port: ports };
      const detach = network.attach(at, (bytes) => {
        const frame = new Int16Array(160);
        pcmu.decode(bytes, 12, 160, frame);
        heard.push(frame);
      });
      opened.set(name, detach);
      await media.open(name);
      media.connect(name, { ...at, codec: 'PCMU', payloadType: 0, direction: 'sendrecv', ptimeMs: 20 });
      return heard;
    },
    async close(): Promise<void> {
      for (const name of [...opened.keys()]) await hangUp(name);
    },
  };
}

/** Servers of customers on loopback. */
function createServers() {
  const servers: Server[] = [];
  return {
    async open(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
      const server = createServer(answer).listen(0, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Begins plays and waits for what is reported of them. */
function playsOf(world: SimulatedWorld, notices: readonly PlayNotice[]) {
  let plays = 0;
  /** Lets real time pass, for what comes over sockets and from threads; virtual time only by `stepMs`. */
  async function until(what: string, condition: () => boolean, stepMs = 0): Promise<void> {
    const limit = performance.now() + 10_000;
    while (!condition()) {
      if (performance.now() > limit) throw new Error(`not within 10 s: ${what}`);
      if (stepMs > 0) await world.advance(stepMs);
      await new Promise<void>((resolve) => setTimeout(resolve, 1));
    }
  }
  const isBegun = (play: string) =>
    notices.some((notice) => notice.type === 'play-begun' && notice.play === play);
  return {
    until,
    play(items: readonly PlayItem[], changes: Partial<PlayOrder> = {}): string {
      const play = changes.play ?? `p${++plays}`;
      const order = { owner: { kind: 'test', id: 'o' }, to: ['leg'], items, loop: 1, ...changes };
      world.node.platform.sounds.play({ play, ...order });
      return play;
    },
    /** Waits for the end of the play; returns its last notice. Time stands still until it is heard: a thread decodes its sound meanwhile. */
    async over(play: string) {
      const find = () => notices.find((notice) => notice.type === 'play-over' && notice.play === play);
      await until(`${play} is heard or over`, () => isBegun(play) || find() !== undefined);
      await until(`${play} is over`, () => find() !== undefined, 20);
      return find() as PlayNotice & { type: 'play-over' };
    },
    begun: (play: string) => until(`${play} is heard`, () => isBegun(play)),
  };
}

/** 16 bits at 8 kHz: a tone of −12 dB. */
export function toneWav(hz: number, seconds: number): Uint8Array {
  const samples = Math.round(seconds * 8_000);
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  for (let i = 0; i < samples; i++) {
    bytes.writeInt16LE(Math.round(8_192 * Math.sin((2 * Math.PI * hz * i) / 8_000)), 44 + i * 2);
  }
  return bytes;
}
