import type { EngineStreams, OpenedFeed } from '@jackfield/media';
import type { OpenNoiseCancellation } from '@jackfield/media/io';
import type { StreamNotice, StreamOrder, StreamTarget, StreamTrack } from '@jackfield/platform';
import { AudioReader } from './audio-reader.ts';
import { readBase64 } from './base64.ts';
import { CleanedTracks, cleanedRate } from './cleaned-tracks.ts';
import { FrameWriter, type TrackShape } from './frame-writer.ts';
import { type ReceivedFrame, readFrame } from './read-frame.ts';
import type { StreamCounters, StreamLimits } from './stream-messages.ts';
import { StreamSocket, type StreamSocketListener } from './stream-socket.ts';
import { WaitingFrames } from './waiting-frames.ts';

/** What all streams of a thread share. */
export interface LiveStreamDeps {
  readonly engine: EngineStreams;
  /** Epoch milliseconds that never step back. */
  readonly now: () => number;
  readonly notify: (notice: StreamNotice) => void;
  readonly openNoiseCancellation: OpenNoiseCancellation;
  readonly limits: StreamLimits;
  readonly counters: StreamCounters;
  readonly trust?: string | undefined;
  /** It has told its last notice. */
  readonly over: (stream: string) => void;
}

/** Frames that are sent for each one that comes, while those that waited are caught up with. */
const CATCH_UP = 10;
/** Frames about what happened, kept while there is no socket. */
const MOST_KEPT = 1000;
/** The clock of the frames is set anew when it is off by more: the machine was suspended. */
const MOST_DRIFT_MS = 250;
/** Frames that are not audio cannot be dropped: with so many times the audio's bound in front of it, a socket is given up. */
const HOPELESS = 8;

/** The clock of a stream runs on when there is nobody on it. */
const nobody = [{ said: [], heard: [] }];

/** One stream: legs on one side, a WebSocket on the other. Everything happens in the thread of the engine. */
export class LiveStream implements StreamSocketListener {
  readonly #order: StreamOrder;
  readonly #deps: LiveStreamDeps;
  readonly #writer: FrameWriter;
  readonly #audio: AudioReader;
  readonly #waiting: WaitingFrames;
  #tracks: readonly StreamTrack[];
  #hearers: readonly string[];
  #shapes: readonly TrackShape[] = [];
  /** The frame before the first one of each track, by its name. */
  readonly #before = new Map<string, number>();
  #cleaned: CleanedTracks | undefined;
  #feed: OpenedFeed | undefined;
  #socket: StreamSocket | undefined;
  #isConnected = false;
  #isResumption = false;
  #isTapping = false;
  #isClosing = false;
  /** Frames so far, and when frame 0 would have been. */
  #position = 0;
  #originMs = 0;
  /** Written as frames when there is a socket again. */
  #kept: (() => string)[] = [];
  #framesSent = 0;
  #framesDropped = 0;
  #framesReceived = 0;
  #framesRefused = 0;
  #playDroppedMs = 0;
  #pastPlayedMs = 0;
  #readInFrame = 0;
  #refusals = 0;
  #refusalsFromMs = 0;
  readonly #degraded = { 'to-socket': { ms: 0, toldMs: -1e9 }, 'from-socket': { ms: 0, toldMs: -1e9 } };

  constructor(order: StreamOrder, deps: LiveStreamDeps) {
    const { limits } = deps;
    this.#order = order;
    this.#deps = deps;
    this.#tracks = order.tracks;
    this.#hearers = order.hearers;
    this.#writer = new FrameWriter(order);
    this.#audio = new AudioReader({ contentType: order.encoding, sampleRate: order.sampleRate });
    this.#waiting = new WaitingFrames(Math.max(1, Math.ceil(Math.max(order.keepLostMs, limits.slowMs) / 20)));
    // A leg is a member of its mix whether anybody is connected or not.
    if (order.asLeg !== undefined) this.#openFeed();
  }

  /** Whether a socket is open or being opened. */
  get hasSocket(): boolean {
    return this.#socket !== undefined;
  }

  connect(target: StreamTarget): void {
    if (this.#socket !== undefined || this.#isClosing) return;
    const { limits, trust } = this.#deps;
    this.#isResumption = target.resumed ?? false;
    const { pingMs, closeMs } = limits;
    const options = { mostBytes: 16 * limits.messageBytes, pingMs, closeMs, trust };
    this.#socket = new StreamSocket(target, options, this);
  }

  retrack(tracks: readonly StreamTrack[]): void {
    this.#tracks = tracks;
    if (this.#isTapping) this.#tap();
  }

  replay(hearers: readonly string[]): void {
    this.#hearers = hearers;
    this.#feed?.replay(hearers);
  }

  close(reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#drain(this.#waiting.count);
    if (this.#isConnected && this.#order.stopFrame) this.#say(this.#writer.stop(reason));
    this.#endAudio();
    this.#closeFeed();
    if (this.#socket === undefined) this.#finish();
    else this.#socket.close(1000, reason);
  }

  // What the socket tells.

  opened(): void {
    const { notify, counters } = this.#deps;
    this.#isConnected = true;
    counters.connected++;
    const names = this.#tracks.map(({ name }) => name);
    this.#say(this.#writer.start(names, this.#isResumption));
    const kept = this.#kept;
    this.#kept = [];
    for (const write of kept) this.#say(write());
    notify({ type: 'stream-connected', stream: this.#order.stream });
    if (!this.#isTapping) this.#tap();
    if (this.#feed === undefined && this.#order.bidirectional) this.#openFeed();
    this.#feed?.pause(false);
  }

  unreachable(sentence: string): void {
    this.#socket = undefined;
    if (this.#isClosing) {
      this.#finish();
      return;
    }
    this.#deps.counters.unreachable++;
    this.#deps.notify({ type: 'stream-unreachable', stream: this.#order.stream, sentence });
  }

  lost(code: number, sentence: string): void {
    this.#socket = undefined;
    this.#isConnected = false;
    if (this.#isClosing) {
      this.#finish();
      return;
    }
    this.#deps.counters.lost++;
    this.#audio.reset();
    if (this.#order.keepLostMs > 0) this.#feed?.pause(true);
    else {
      this.#endAudio();
      this.#feed?.clear();
    }
    this.#deps.notify({ type: 'stream-lost', stream: this.#order.stream, code, sentence });
  }

  message(data: Buffer, isBinary: boolean): void {
    if (this.#isClosing) return;
    const { limits, counters } = this.#deps;
    this.#framesReceived++;
    counters.framesReceived++;
    // Whoever floods is read as fast as a frame goes by; the rest waits in his own network.
    if (++this.#readInFrame >= limits.messagesPerFrame) this.#socket!.pause();
    if (data.length > limits.messageBytes) {
      this.#refuse(`a message of ${data.length} bytes is longer than ${limits.messageBytes}`);
    } else if (isBinary) {
      if (this.#order.binary !== true) this.#refuse('binary messages are not agreed on for this stream');
      else this.#play('', undefined, data);
    } else this.#take(readFrame(data.toString('utf8'), this.#order.stream));
  }

  #take(frame: ReceivedFrame): void {
    if (frame.event === 'stop') {
      this.#socket!.close(1000, 'the other side sent stop');
      return;
    }
    if (frame.event === 'refused') {
      this.#refuse(frame.sentence);
      return;
    }
    // Who may only listen is not answered.
    if (!this.#order.bidirectional || this.#feed === undefined) return;
    switch (frame.event) {
      case 'playAudio': {
        const bytes = readBase64(frame.payload);
        if (bytes === undefined) this.#refuse('playAudio: payload is not base64');
        else this.#play(frame.contentType, frame.sampleRate, bytes);
        return;
      }
      case 'checkpoint':
        if (!this.#feed.mark(frame.name)) this.#refuse('checkpoint: too many of them wait for their audio');
        return;
      case 'clearAudio':
        this.#feed.clear();
        this.#audio.reset();
        this.#tell(() => this.#writer.clearedAudio());
        this.#deps.notify({ type: 'stream-cleared', stream: this.#order.stream });
        return;
      case 'sendDTMF':
        this.#deps.engine.pressKeys(this.#hearers, frame.digits);
    }
  }

  #play(contentType: string, sampleRate: number | undefined, bytes: Uint8Array): void {
    const feed = this.#feed;
    if (!this.#order.bidirectional || feed === undefined) return;
    const read = this.#audio.read(contentType, sampleRate, bytes);
    if (read.sentence !== undefined) {
      this.#refuse(read.sentence);
      return;
    }
    if (feed.put(read.samples, read.sampleRate)) return;
    const ms = (read.samples.length * 1000) / read.sampleRate;
    this.#playDroppedMs += ms;
    this.#deps.counters.playDroppedMs += ms;
    const waiting = Math.round(feed.queuedMs);
    this.#refuse(
      `playAudio: ${Math.round(ms)} ms do not fit: ${waiting} of at most ${feed.mostMs} ms wait to be played`,
    );
    this.#degrade('from-socket', ms, (100 * feed.queuedMs) / feed.mostMs);
  }

  #openFeed(): void {
    const { engine, limits } = this.#deps;
    const { stream, asLeg, sampleRate } = this.#order;
    const mostMs = limits.queueMs;
    const played = (name: string): void => {
      this.#tell(() => this.#writer.playedStream(name));
      this.#deps.notify({ type: 'stream-played', stream, name });
    };
    this.#feed =
      asLeg === undefined
        ? engine.openFeed(stream, { to: this.#hearers, mostMs, played })
        : engine.openVirtualLeg(stream, { leg: asLeg, sampleRate, mostMs, played });
  }

  #closeFeed(): void {
    this.#pastPlayedMs = this.#feed?.playedMs ?? this.#pastPlayedMs;
    this.#feed?.close();
    this.#feed = undefined;
  }

  #tap(): void {
    const { engine, now, openNoiseCancellation } = this.#deps;
    const { stream, sampleRate, noiseCancellationLevel: level } = this.#order;
    if (!this.#isTapping) {
      this.#isTapping = true;
      this.#originMs = Math.round(now()) - 20 * this.#position;
    }
    const tracks = this.#tracks;
    this.#shapes = tracks.map(({ name }) => this.#writer.shapeOf(name));
    for (const { name } of tracks) if (!this.#before.has(name)) this.#before.set(name, this.#position - 1);
    if (level !== undefined) {
      this.#cleaned = new CleanedTracks(tracks, sampleRate, level, openNoiseCancellation, this.#cleaned);
    }
    const tapped = this.#cleaned?.tapped ?? tracks;
    engine.tap(stream, {
      sampleRate: level === undefined ? sampleRate : cleanedRate,
      tracks: tapped.length === 0 ? nobody : tapped,
      take: this.#frame,
    });
    const keysOf = [...new Set(tracks.flatMap((track) => track.keysOf ?? []))];
    engine.watchKeys(stream, keysOf, (leg, digit) => this.press(leg, digit));
  }

  #endAudio(): void {
    const { engine } = this.#deps;
    if (this.#isTapping) {
      engine.endTap(this.#order.stream);
      engine.watchKeys(this.#order.stream, [], () => {});
    }
    this.#isTapping = false;
    this.#cleaned?.close();
    this.#cleaned = undefined;
    this.#waiting.clear();
    this.#kept = [];
  }

  /** A key of a leg: told on the tracks that have its keys. */
  press(leg: string, digit: string): void {
    if (!this.#isTapping) return;
    const atMs = Math.round(this.#deps.now());
    for (const { name, keysOf } of this.#tracks) {
      if (keysOf?.includes(leg)) this.#tell(() => this.#writer.dtmf(name, digit, atMs));
    }
  }

  /** Takes 20 ms of all tracks; called in the frame loop. */
  readonly #frame = (tapped: Int16Array): void => {
    this.#readInFrame = 0;
    this.#socket?.resume();
    const samples = this.#cleaned === undefined ? tapped : this.#cleaned.process(tapped);
    const position = this.#position++;
    let timestampMs = this.#originMs + 20 * position;
    const drift = this.#deps.now() - timestampMs;
    if (drift > MOST_DRIFT_MS || drift < -MOST_DRIFT_MS) {
      this.#originMs += Math.round(drift);
      timestampMs += Math.round(drift);
    }
    if (this.#waiting.count === 0 && this.#isRoomy()) {
      this.#send(position, timestampMs, this.#shapes, samples);
      return;
    }
    const dropped = this.#waiting.push(position, timestampMs, this.#shapes, samples);
    if (dropped > 0) {
      this.#framesDropped += dropped;
      this.#deps.counters.framesDropped += dropped;
      this.#degrade('to-socket', 20, 100);
    }
    this.#drain(CATCH_UP);
  };

  #isRoomy(): boolean {
    return this.#isConnected && this.#socket!.bufferedBytes < this.#deps.limits.bufferedBytes;
  }

  #drain(most: number): void {
    for (let n = 0; n < most && this.#isRoomy(); n++) {
      const frame = this.#waiting.shift();
      if (frame === undefined) return;
      this.#send(frame.position, frame.timestampMs, frame.shapes, frame.samples);
    }
  }

  #send(position: number, timestampMs: number, shapes: readonly TrackShape[], samples: Int16Array): void {
    const isBinary = this.#order.binary === true;
    for (let t = 0; t < shapes.length; t++) {
      const shape = shapes[t]!;
      const chunk = position - this.#before.get(shape.name)!;
      const bytes = this.#writer.media(shape, timestampMs, chunk, samples, t, shapes.length);
      this.#socket!.send(bytes, isBinary);
    }
    this.#framesSent += shapes.length;
    this.#deps.counters.framesSent += shapes.length;
  }

  /** A frame about something that happened: now, or when the socket is there again. */
  #tell(write: () => string): void {
    if (this.#isConnected) this.#say(write());
    else if (this.#order.keepLostMs > 0 && this.#kept.length < MOST_KEPT) this.#kept.push(write);
  }

  #say(text: string): void {
    const socket = this.#socket!;
    const waiting = socket.bufferedBytes;
    if (waiting > HOPELESS * this.#deps.limits.bufferedBytes) {
      socket.kill(`it does not read: ${waiting} bytes wait for it`);
    } else socket.send(text, false);
  }

  #refuse(sentence: string): void {
    const { now, limits, counters, notify } = this.#deps;
    this.#framesRefused++;
    counters.framesRefused++;
    const nowMs = now();
    if (nowMs - this.#refusalsFromMs >= 1000) {
      this.#refusalsFromMs = nowMs;
      this.#refusals = 0;
    }
    if (++this.#refusals > limits.refusalsPerSecond) return;
    this.#tell(() => this.#writer.playFailed(sentence));
    notify({ type: 'stream-refused-frame', stream: this.#order.stream, sentence });
  }

  #degrade(direction: 'to-socket' | 'from-socket', ms: number, percent: number): void {
    const one = this.#degraded[direction];
    one.ms += ms;
    const nowMs = this.#deps.now();
    if (nowMs - one.toldMs < 1000) return;
    one.toldMs = nowMs;
    const { stream } = this.#order;
    const droppedMs = Math.round(one.ms);
    this.#deps.notify({
      type: 'stream-degraded',
      stream,
      direction,
      droppedMs,
      percentFull: Math.round(percent),
    });
  }

  #finish(): void {
    const { stream } = this.#order;
    this.#deps.notify({
      type: 'stream-over',
      stream,
      statistics: {
        framesSent: this.#framesSent,
        framesDropped: this.#framesDropped,
        playedMs: this.#pastPlayedMs,
        playDroppedMs: Math.round(this.#playDroppedMs),
        framesReceived: this.#framesReceived,
        framesRefused: this.#framesRefused,
      },
    });
    this.#deps.over(stream);
  }
}
