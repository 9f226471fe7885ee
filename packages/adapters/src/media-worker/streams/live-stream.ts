import type { EngineStreams, OpenedStreamSource } from '@jackfield/media';
import type { OpenNoiseCancellation } from '@jackfield/media/io';
import {
  type FrameRefusal,
  type KeySource,
  type PressedKey,
  type StreamNotice,
  type StreamOrder,
  type StreamTarget,
  type StreamTrack,
  withKey,
} from '@jackfield/ports';
import { AudioReader } from './audio-reader.ts';
import { dialectOf } from './dialects/dialect-of.ts';
import type { FrameWriter, ReceivedFrame, StreamDialect } from './dialects/stream-dialect.ts';
import { DroppedAudio } from './dropped-audio.ts';
import { guarded } from './guarded-listener.ts';
import { LimitedNotices } from './limited-notices.ts';
import { OutgoingAudio } from './outgoing-audio.ts';
import { OutgoingEvents } from './outgoing-events.ts';
import { RefusedFrames } from './refused-frames.ts';
import type { StreamCounters, StreamLimits } from './stream-messages.ts';
import { StreamSocket, type StreamSocketListener } from './stream-socket.ts';

/** Shared by all streams of a thread. */
export interface LiveStreamDeps {
  readonly engine: EngineStreams;
  /** Epoch milliseconds that never step back. */
  readonly now: () => number;
  readonly notify: (notice: StreamNotice) => void;
  readonly openNoiseCancellation: OpenNoiseCancellation;
  readonly limits: StreamLimits;
  readonly counters: StreamCounters;
  readonly trust?: string | undefined;
  /** The stream has sent its last notification. */
  readonly over: (stream: string) => void;
}

/** Frames that are not audio cannot be dropped: beyond this multiple of the audio's limit the socket is closed. */
const HOPELESS = 8;

/** One stream: legs on one side, a WebSocket on the other. Everything happens in the thread of the engine. */
export class LiveStream implements StreamSocketListener {
  readonly #order: StreamOrder;
  readonly #deps: LiveStreamDeps;
  readonly #dialect: StreamDialect;
  readonly #writer: FrameWriter;
  readonly #audio: AudioReader;
  readonly #outgoing: OutgoingAudio;
  #hearers: readonly string[];
  #streamSource: OpenedStreamSource | undefined;
  #socket: StreamSocket | undefined;
  #isConnected = false;
  #isResumption = false;
  #isClosing = false;
  #failure: string | undefined;
  #error: Error | undefined;
  /** The other side sent `stop`: any end of its connection is then intended. */
  #isStopped = false;
  readonly #events: OutgoingEvents;
  /** Keys of each leg that may still arrive a second way. */
  readonly #keys = new Map<string, readonly PressedKey[]>();
  #framesReceived = 0;
  #playDroppedMs = 0;
  #pastPlayedMs = 0;
  readonly #limited: LimitedNotices;
  readonly #refused: RefusedFrames;
  readonly #droppedPlaying: DroppedAudio;

  constructor(order: StreamOrder, deps: LiveStreamDeps) {
    this.#order = order;
    this.#deps = deps;
    this.#hearers = order.hearers;
    this.#dialect = dialectOf(order);
    this.#writer = this.#dialect.createWriter(order);
    this.#audio = new AudioReader({ contentType: order.encoding, sampleRate: order.sampleRate });
    this.#limited = new LimitedNotices(order.stream, deps);
    this.#refused = new RefusedFrames(deps);
    this.#events = new OutgoingEvents({
      isResumable: order.keepLostMs > 0,
      isConnected: () => this.#isConnected,
      position: () => this.#outgoing.sentPosition,
      say: (messages) => this.#say(messages),
    });
    const droppedSending = new DroppedAudio(order.stream, 'to-socket', deps);
    this.#droppedPlaying = new DroppedAudio(order.stream, 'from-socket', deps);
    this.#outgoing = new OutgoingAudio(order, this.#writer, {
      ...deps,
      bufferedBytes: () => (this.#isConnected ? this.#socket!.bufferedBytes : Number.POSITIVE_INFINITY),
      ask: (position) => this.#socket!.ask(String(position)),
      send: (bytes) => this.#socket!.send(bytes, order.binary === true),
      tick: () => {
        this.#socket?.refill();
        this.#limited.tick();
      },
      dropped: (ms) => droppedSending.add(ms, 100),
      spoken: (track, speaking, atMs) => this.#events.emit(() => this.#writer.speech(track, speaking, atMs)),
      pressed: (leg, digit, durationMs, as) => this.press(leg, digit, durationMs, as),
    });
  }

  /** A leg is a member of its mix with or without a connection. */
  open(): void {
    if (this.#order.asLeg !== undefined && !this.#openStreamSource()) this.#giveUp('as a leg');
  }

  connect(target: StreamTarget): void {
    if (this.#socket !== undefined || this.#isClosing) return;
    const { limits, trust } = this.#deps;
    this.#isResumption = target.resumed ?? false;
    // A stream with hold audio detects a dead connection three times as fast, so that its legs do not wait long.
    const pingMs = this.#order.keepLostMs > 0 ? limits.pingMs / 3 : limits.pingMs;
    const { closeMs, readFrames, readBytes } = limits;
    const allowance = { frames: readFrames, bytes: readBytes };
    const options = { mostBytes: 16 * limits.messageBytes, allowance, pingMs, closeMs, trust };
    this.#deps.counters.sockets++;
    try {
      this.#socket = new StreamSocket(target, options, guarded(this, this.#fail));
    } catch (error) {
      // The URL or a header is invalid.
      this.unreachable(error instanceof Error ? error.message : String(error));
    }
  }

  retrack(tracks: readonly StreamTrack[]): void {
    if (!this.#outgoing.retrack(tracks)) {
      this.#giveUp(`with ${tracks.length} tracks`);
      return;
    }
    for (const leg of this.#keys.keys()) {
      if (!tracks.some(({ keysOf }) => keysOf?.includes(leg))) this.#keys.delete(leg);
    }
  }

  replay(hearers: readonly string[]): void {
    this.#hearers = hearers;
    this.#streamSource?.replay(hearers);
  }

  close(reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#outgoing.flush();
    if (this.#isConnected && this.#order.stopFrame) this.#say(this.#writer.stop(reason));
    this.#outgoing.end();
    this.#closeStreamSource();
    if (this.#socket === undefined) this.#finish();
    else this.#socket.close(1000, reason);
  }

  // Events of the socket.

  opened(): void {
    const { notify, counters } = this.#deps;
    this.#isConnected = true;
    counters.connected++;
    const isHearing = this.#outgoing.begin();
    const isPlaying =
      this.#streamSource !== undefined || !this.#order.bidirectional || this.#openStreamSource();
    if (!isHearing || !isPlaying) {
      this.#giveUp(isHearing ? 'that plays' : 'that listens');
      return;
    }
    const names = this.#outgoing.tracks.map(({ name }) => name);
    this.#say(this.#writer.start(names, this.#isResumption));
    this.#events.begin();
    notify({ type: 'stream-connected', stream: this.#order.stream });
    this.#streamSource?.pause(false);
  }

  unreachable(sentence: string): void {
    this.#socket = undefined;
    this.#deps.counters.sockets--;
    if (this.#isClosing) {
      this.#finish();
      return;
    }
    this.#deps.counters.unreachable++;
    this.#deps.notify({ type: 'stream-unreachable', stream: this.#order.stream, sentence });
  }

  lost(code: number, sentence: string): void {
    this.#socket = undefined;
    this.#deps.counters.sockets--;
    this.#isConnected = false;
    if (this.#isClosing) {
      this.#finish();
      return;
    }
    this.#deps.counters.lost++;
    this.#audio.reset();
    if (this.#order.keepLostMs > 0 && !this.#isStopped) {
      this.#outgoing.rewind();
      this.#streamSource?.pause(true);
    } else {
      this.#outgoing.end();
      this.#events.clear();
      this.#streamSource?.clear();
    }
    const { stream } = this.#order;
    this.#limited.flush();
    this.#deps.notify({ type: 'stream-lost', stream, code: this.#isStopped ? 1000 : code, sentence });
  }

  answered(question: string): void {
    const position = Number(question);
    this.#outgoing.arrived(position);
    this.#events.arrived(position);
  }

  message(data: Buffer, isBinary: boolean): void {
    if (this.#isClosing || this.#isStopped) return;
    const { limits, counters } = this.#deps;
    this.#framesReceived++;
    counters.framesReceived++;
    if (data.length > limits.messageBytes) {
      this.#refuse(
        'message-too-long',
        `a message of ${data.length} bytes is longer than ${limits.messageBytes}`,
      );
    } else if (isBinary) {
      if (this.#order.binary !== true)
        this.#refuse('binary-refused', 'binary messages are not agreed on for this stream');
      else this.#play('', undefined, data);
    } else this.#take(this.#dialect.read(data.toString('utf8'), this.#order.stream));
  }

  #take(frame: ReceivedFrame): void {
    if (frame.event === 'stop') {
      this.#isStopped = true;
      this.#socket!.close(1000, 'the other side sent stop');
      return;
    }
    if (frame.event === 'refused') {
      this.#refuse(frame.code, frame.sentence);
      return;
    }
    // Commands of a side that may only listen are ignored.
    if (!this.#order.bidirectional || this.#streamSource === undefined) return;
    switch (frame.event) {
      case 'play':
        this.#play(frame.contentType, frame.sampleRate, frame.bytes);
        return;
      case 'checkpoint':
        if (!this.#streamSource.mark(frame.name)) {
          this.#refuse('queue-full', 'too many checkpoints wait for their audio');
        }
        return;
      case 'clear': {
        const dropped = this.#streamSource.clear();
        this.#audio.reset();
        this.#events.emit(() => this.#writer.cleared(dropped));
        this.#limited.send({ type: 'stream-cleared', stream: this.#order.stream });
        return;
      }
      case 'press':
        this.#press(frame.digits);
    }
  }

  #press(digits: string): void {
    const outcome = this.#deps.engine.pressKeys(this.#hearers, digits);
    if (outcome === 'no-events')
      this.#refuse('unsupported-keys', 'sendDTMF: a phone takes no telephone events (RFC 4733)');
    else if (outcome === 'queue-full')
      this.#refuse(outcome, `sendDTMF: ${digits.length} keys do not fit behind those that wait for a phone`);
  }

  #play(contentType: string, sampleRate: number | undefined, bytes: Uint8Array): void {
    const streamSource = this.#streamSource;
    if (!this.#order.bidirectional || streamSource === undefined) return;
    const read = this.#audio.read(contentType, sampleRate, bytes);
    if (read.sentence !== undefined) {
      this.#refuse('unsupported-audio', read.sentence);
      return;
    }
    const { counters } = this.#deps;
    if (streamSource.put(read.samples, read.sampleRate)) {
      if (streamSource.queuedMs > counters.deepestQueueMs) counters.deepestQueueMs = streamSource.queuedMs;
      return;
    }
    this.#audio.refuse(bytes);
    const ms = (read.samples.length * 1000) / read.sampleRate;
    this.#playDroppedMs += ms;
    counters.playDroppedMs += ms;
    const waiting = Math.round(streamSource.queuedMs);
    this.#refuse(
      'queue-full',
      `${Math.round(ms)} ms of audio do not fit: ${waiting} of at most ${streamSource.mostMs} ms wait to be played`,
    );
    this.#droppedPlaying.add(ms, (100 * streamSource.queuedMs) / streamSource.mostMs);
  }

  /** False when the engine has no slot for the stream. */
  #openStreamSource(): boolean {
    const { engine, limits } = this.#deps;
    const { stream, asLeg, sampleRate } = this.#order;
    const mostMs = limits.queueMs;
    const played = (name: string): void => {
      this.#events.emit(() => this.#writer.played(name));
      this.#limited.send({ type: 'stream-played', stream, name });
    };
    this.#streamSource =
      asLeg === undefined
        ? engine.openStreamSource(stream, { to: this.#hearers, mostMs, played })
        : engine.openVirtualLeg(stream, { leg: asLeg, sampleRate, mostMs, played });
    return this.#streamSource !== undefined;
  }

  #closeStreamSource(): void {
    this.#pastPlayedMs = this.#streamSource?.playedMs ?? this.#pastPlayedMs;
    this.#streamSource?.close();
    this.#streamSource = undefined;
  }

  /** A key of a leg: reported on the tracks that carry its keys; once, when its phone sends it both in audio and in signalling. */
  press(leg: string, digit: string, durationMs: number, as: KeySource): void {
    if (!this.#outgoing.isTapping) return;
    const atMs = Math.round(this.#deps.now());
    const key = { digit, as, from: atMs - durationMs, until: atMs };
    const { keys, isNew } = withKey(this.#keys.get(leg) ?? [], key);
    this.#keys.set(leg, keys);
    if (!isNew) return;
    for (const { name, keysOf } of this.#outgoing.tracks) {
      if (keysOf?.includes(leg)) this.#events.emit(() => this.#writer.dtmf(name, digit, atMs));
    }
  }

  #say(messages: readonly string[]): void {
    const socket = this.#socket!;
    const waiting = socket.bufferedBytes;
    if (waiting > HOPELESS * this.#deps.limits.bufferedBytes) {
      socket.kill(`it does not read: ${waiting} bytes wait for it`);
    } else for (const text of messages) socket.send(text, false);
  }

  #refuse(code: FrameRefusal, sentence: string): void {
    if (!this.#refused.add()) return;
    this.#events.emit(() => this.#writer.refused(code, sentence));
    this.#deps.notify({ type: 'stream-refused-frame', stream: this.#order.stream, code, sentence });
  }

  /**
   * Ends the stream with a notification, so that it is never silent without one. RFC 6455 §7.4, as registered: 1013 is "try again later".
   */
  #giveUp(how: string): void {
    if (this.#isClosing) return;
    this.#failure = `the media engine has no slot for a stream ${how}`;
    this.#abandon(1013, this.#failure);
  }

  /** RFC 6455 §7.4.1: 1011 is "a condition that was not expected". */
  readonly #fail = (thrown: unknown): void => {
    if (this.#isClosing) return;
    this.#error = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#abandon(1011, 'a fault of the platform');
  };

  #abandon(code: number, reason: string): void {
    this.#isClosing = true;
    this.#outgoing.end();
    this.#closeStreamSource();
    if (this.#socket === undefined) this.#finish();
    else this.#socket.close(code, reason);
  }

  #finish(): void {
    const { stream } = this.#order;
    this.#limited.flush();
    this.#deps.notify({
      type: 'stream-over',
      stream,
      statistics: {
        framesSent: this.#outgoing.framesSent,
        framesDropped: this.#outgoing.framesDropped,
        playedMs: this.#pastPlayedMs,
        playDroppedMs: Math.round(this.#playDroppedMs),
        framesReceived: this.#framesReceived,
        framesRefused: this.#refused.count,
      },
      ...(this.#failure === undefined ? {} : { sentence: this.#failure }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
    });
    this.#deps.over(stream);
  }
}
