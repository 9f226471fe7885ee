import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpEgress } from '@jackfield/adapters/egress-http';
import { createMetrics } from '@jackfield/adapters/metrics';
import { createSoundDecoder } from '@jackfield/adapters/sound-decoder';
import { pcmu } from '@jackfield/media';
import type { Media, MediaClips, MixCommand, Speech } from '@jackfield/ports';
import {
  assertDocumentedEvents,
  createRecordingLog,
  createSimulatedMedia,
  createVirtualClock,
  SimulatedNetwork,
  seededRandom,
  type VirtualClock,
} from '@jackfield/testkit';
import { createSessionRunner } from '../../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { readSoundDocument } from '../../call-instructions/index.ts';
import { parseDeliverySettings } from '../../callbacks/index.ts';
import {
  createSounds,
  type PlayItem,
  type PlayNotice,
  type PlayOrder,
  type SoundLimits,
  type Sounds,
} from '../index.ts';

export interface SoundsWorldOptions {
  readonly speech?: Speech;
  readonly limits?: Partial<SoundLimits>;
}

const phoneAddress = '10.0.0.9';

/** Sounds on the real engine, decoder and HTTP client; time is a virtual clock, customers' servers are on loopback. */
export async function openSoundsWorld(options: SoundsWorldOptions = {}) {
  const clock = createVirtualClock();
  const engine = createWatchedEngine(clock);
  const servers = createServers();
  const log = createRecordingLog();
  const metrics = createMetrics();
  const decoder = createSoundDecoder();
  const events: OutboxEvent[] = [];
  const runner = createSessionRunner({
    // Plays keep no record: all that is written are their events.
    database: { transact: (work: (write: never) => Promise<unknown>) => work(undefined as never) } as never,
    clock,
    log,
    async appendEvents(_write, written) {
      assertDocumentedEvents(written);
      events.push(...written);
    },
  });
  const sounds = createSounds({
    runner,
    clock,
    log,
    metrics,
    media: engine.media,
    decoder,
    egress: createHttpEgress({ allow: [], privateToo: true }),
    speech: options.speech ?? { speak: () => Promise.reject(new Error('nothing is spoken here')) },
    clips: engine.clips,
    timeoutsOf: parseDeliverySettings,
    readSoundDocument,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const notices: PlayNotice[] = [];
  sounds.ownedBy('test', (_owner, notice) => notices.push(notice));

  return {
    ...playsOf(sounds, clock, notices),
    clock,
    engine: engine.engine,
    sounds,
    metrics,
    log,
    events,
    notices,
    commands: engine.commands,
    clipsLoaded: engine.clipsLoaded,
    clipsDropped: engine.clipsDropped,
    leg: engine.leg,
    server: servers.open,
    async close() {
      sounds.release();
      await runner.close();
      engine.engine.stop();
      // Packets that are still on their way.
      await clock.advance(1_000);
      await decoder.close();
      servers.close();
    },
  };
}

/** The real engine with its legs, and what it was ordered. */
function createWatchedEngine(clock: VirtualClock) {
  const random = seededRandom(1);
  const network = new SimulatedNetwork(clock, random);
  const engine = createSimulatedMedia({ clock, network, address: '10.0.0.1', random });
  const commands: MixCommand[] = [];
  const clipsLoaded: string[] = [];
  const clipsDropped: string[] = [];
  const media: Media = {
    send(command) {
      commands.push(command);
      engine.send(command);
    },
    subscribe: (listener) => engine.subscribe(listener),
  };
  const clips: MediaClips = {
    loadClip(name, clip) {
      clipsLoaded.push(name);
      return engine.loadClip(name, clip);
    },
    growClip(name, piece, isLast) {
      if (!clipsLoaded.includes(name)) clipsLoaded.push(name);
      return engine.growClip(name, piece, isLast);
    },
    dropClip(name) {
      clipsDropped.push(name);
      engine.dropClip(name);
    },
  };
  let ports = 5_000;
  /** Opens a leg that hears; returns what it heard, frame by frame. */
  async function leg(name: string): Promise<Int16Array[]> {
    const heard: Int16Array[] = [];
    ports += 2;
    const at = { address: phoneAddress, port: ports };
    network.attach(at, (bytes) => {
      const frame = new Int16Array(160);
      pcmu.decode(bytes, 12, 160, frame);
      heard.push(frame);
    });
    await engine.open(name);
    engine.connect(name, { ...at, codec: 'PCMU', payloadType: 0, direction: 'sendrecv', ptimeMs: 20 });
    return heard;
  }
  return { engine, media, clips, commands, clipsLoaded, clipsDropped, leg };
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
function playsOf(sounds: Sounds, clock: VirtualClock, notices: readonly PlayNotice[]) {
  let plays = 0;
  /** Lets real time pass, for what comes over sockets and from threads; virtual time only by `stepMs`. */
  async function until(what: string, condition: () => boolean, stepMs = 0): Promise<void> {
    const limit = performance.now() + 10_000;
    while (!condition()) {
      if (performance.now() > limit) throw new Error(`not within 10 s: ${what}`);
      if (stepMs > 0) await clock.advance(stepMs);
      await new Promise<void>((resolve) => setTimeout(resolve, 1));
    }
  }
  return {
    until,
    play(items: readonly PlayItem[], changes: Partial<PlayOrder> = {}): string {
      const play = changes.play ?? `p${++plays}`;
      sounds.play({ play, owner: { kind: 'test', id: 'o' }, to: ['leg'], items, loop: 1, ...changes });
      return play;
    },
    /** Waits for the end of the play; returns its last notice. */
    async over(play: string) {
      const find = () => notices.find((notice) => notice.type === 'play-over' && notice.play === play);
      await until(`${play} is over`, () => find() !== undefined, 20);
      return find() as PlayNotice & { type: 'play-over' };
    },
    begun: (play: string) =>
      until(`${play} is heard`, () =>
        notices.some((notice) => notice.type === 'play-begun' && notice.play === play),
      ),
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
