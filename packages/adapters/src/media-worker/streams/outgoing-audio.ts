import type { EngineStreams, KeyListener } from '@jackfield/media';
import type { OpenNoiseCancellation } from '@jackfield/media/io';
import type { StreamOrder, StreamTrack } from '@jackfield/ports';
import { CleanedTracks, cleanedRate } from './cleaned-tracks.ts';
import type { FrameWriter, TrackShape } from './dialects/stream-dialect.ts';
import { SpokenTracks } from './spoken-tracks.ts';
import type { StreamCounters, StreamLimits } from './stream-messages.ts';
import { WaitingFrames } from './waiting-frames.ts';

/** The target of frames, and the callbacks on the way. */
export interface OutgoingAudioDeps {
  readonly engine: EngineStreams;
  readonly now: () => number;
  readonly openNoiseCancellation: OpenNoiseCancellation;
  readonly limits: StreamLimits;
  readonly counters: StreamCounters;
  /** Bytes that wait in the socket; Infinity while there is none. */
  readonly bufferedBytes: () => number;
  readonly send: (bytes: Uint8Array) => void;
  /** Asks the other side to confirm all frames up to this position; see `arrived`. */
  readonly ask: (position: number) => void;
  /** A frame of the legs begins. */
  readonly tick: () => void;
  /** Milliseconds of the oldest audio that were dropped. */
  readonly dropped: (ms: number) => void;
  readonly pressed: KeyListener;
  /** Speech on a track begins or is over. */
  readonly spoken: (track: string, speaking: boolean, timestampMs: number) => void;
}

/** Waiting frames that are sent for each new one, to catch up. */
const CATCH_UP = 10;
/** Frames between two confirmations of a resumable stream: 80 ms, the most audio that can arrive twice after a loss. */
const ASK_EVERY = 4;
/** The frame clock restarts when it is off by more: the machine was suspended. */
const MOST_DRIFT_MS = 250;
/** A track without legs, which keeps the clock of the stream running. */
const noLegs = [{ said: [], heard: [] }];

/** Audio of legs, both directions, on its way to the socket: tapped, cleaned, numbered, and kept for a while when the socket is slow. */
export class OutgoingAudio {
  readonly #order: StreamOrder;
  readonly #writer: FrameWriter;
  readonly #deps: OutgoingAudioDeps;
  readonly #waiting: WaitingFrames;
  #tracks: readonly StreamTrack[];
  #shapes: readonly TrackShape[] = [];
  /** The frame before the first one of each track, by track name. */
  readonly #before = new Map<string, number>();
  #cleaned: CleanedTracks | undefined;
  readonly #spoken: SpokenTracks | undefined;
  #isTapping = false;
  /** Number of frames so far, and the time of frame 0. */
  #position = 0;
  #originMs = 0;
  #sentPosition = -1;
  framesSent = 0;
  framesDropped = 0;

  constructor(order: StreamOrder, writer: FrameWriter, deps: OutgoingAudioDeps) {
    this.#order = order;
    this.#writer = writer;
    this.#deps = deps;
    this.#tracks = order.tracks;
    if (order.voiceActivity !== undefined) {
      this.#spoken = new SpokenTracks(order.voiceActivity, order.sampleRate, deps.spoken);
    }
    const mostMs = Math.max(order.keepLostMs, deps.limits.slowMs);
    this.#waiting = new WaitingFrames(Math.max(1, Math.ceil(mostMs / 20)));
  }

  get tracks(): readonly StreamTrack[] {
    return this.#tracks;
  }

  /** Of the last frame in the socket. */
  get sentPosition(): number {
    return this.#sentPosition;
  }

  get isTapping(): boolean {
    return this.#isTapping;
  }

  /** False when the engine has no slot for the tracks, like `begin`. */
  retrack(tracks: readonly StreamTrack[]): boolean {
    this.#tracks = tracks;
    return !this.#isTapping || this.#tap();
  }

  begin(): boolean {
    if (this.#isTapping) return true;
    this.#isTapping = true;
    this.#originMs = Math.round(this.#deps.now()) - 20 * this.#position;
    return this.#tap();
  }

  end(): void {
    const { engine } = this.#deps;
    if (this.#isTapping) {
      engine.endTap(this.#order.stream);
      engine.watchKeys(this.#order.stream, [], () => {});
    }
    this.#isTapping = false;
    this.#cleaned?.close();
    this.#cleaned = undefined;
    this.#waiting.clear();
  }

  /** Sends waiting frames as far as the socket accepts them. */
  flush(): void {
    this.#drain(this.#waiting.unsent);
  }

  /** The other side has all frames up to this position. */
  arrived(position: number): void {
    this.#waiting.forget(position);
  }

  /** The socket is closed: unconfirmed frames are sent again. */
  rewind(): void {
    this.#waiting.rewind();
  }

  #tap(): boolean {
    const { engine, openNoiseCancellation, pressed } = this.#deps;
    const { stream, sampleRate, noiseCancellationLevel: level } = this.#order;
    const tracks = this.#tracks;
    this.#shapes = tracks.map(({ name }) => this.#writer.shapeOf(name));
    for (const { name } of tracks) if (!this.#before.has(name)) this.#before.set(name, this.#position - 1);
    if (level !== undefined) {
      this.#cleaned = new CleanedTracks(tracks, sampleRate, level, openNoiseCancellation, this.#cleaned);
    }
    const tapped = this.#cleaned?.tapped ?? tracks;
    const isTapped = engine.tap(stream, {
      sampleRate: level === undefined ? sampleRate : cleanedRate,
      tracks: tapped.length === 0 ? noLegs : tapped,
      take: this.#take,
    });
    const keysOf = [...new Set(tracks.flatMap((track) => track.keysOf ?? []))];
    engine.watchKeys(stream, keysOf, pressed);
    return isTapped;
  }

  /** Receives 20 ms of all tracks; called in the frame loop. */
  readonly #take = (tapped: Int16Array): void => {
    this.#deps.tick();
    const samples = this.#cleaned === undefined ? tapped : this.#cleaned.process(tapped);
    const position = this.#position++;
    let timestampMs = this.#originMs + 20 * position;
    const drift = this.#deps.now() - timestampMs;
    if (drift > MOST_DRIFT_MS || drift < -MOST_DRIFT_MS) {
      this.#originMs += Math.round(drift);
      timestampMs += Math.round(drift);
    }
    this.#spoken?.hear(this.#shapes, samples, timestampMs);
    const isKept = this.#order.keepLostMs > 0;
    if (!isKept && this.#waiting.unsent === 0 && this.#isRoomy()) {
      this.#send(position, timestampMs, this.#shapes, samples);
      return;
    }
    const dropped = this.#waiting.push(position, timestampMs, this.#shapes, samples);
    if (dropped > 0) {
      this.framesDropped += dropped;
      this.#deps.counters.framesDropped += dropped;
      this.#deps.dropped(20);
    }
    this.#drain(CATCH_UP);
    if (isKept && position % ASK_EVERY === 0 && this.#isRoomy()) this.#deps.ask(this.#sentPosition);
  };

  #isRoomy(): boolean {
    return this.#deps.bufferedBytes() < this.#deps.limits.bufferedBytes;
  }

  #drain(most: number): void {
    for (let n = 0; n < most && this.#isRoomy(); n++) {
      const frame = this.#waiting.next();
      if (frame === undefined) return;
      this.#send(frame.position, frame.timestampMs, frame.shapes, frame.samples);
      if (this.#order.keepLostMs === 0) this.#waiting.forget(frame.position);
    }
  }

  #send(position: number, timestampMs: number, shapes: readonly TrackShape[], samples: Int16Array): void {
    for (let t = 0; t < shapes.length; t++) {
      const shape = shapes[t]!;
      const chunk = position - this.#before.get(shape.name)!;
      const bytes = this.#writer.media(shape, timestampMs, chunk, samples, t, shapes.length);
      this.#deps.send(bytes);
    }
    this.#sentPosition = position;
    this.framesSent += shapes.length;
    this.#deps.counters.framesSent += shapes.length;
  }
}
