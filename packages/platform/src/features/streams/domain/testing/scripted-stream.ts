import type { NewStream } from '../../index.ts';
import {
  newStream,
  type Stream,
  type StreamEffect,
  type StreamEvent,
  type StreamInput,
  type StreamLimits,
  streamLimits,
} from '../stream.ts';
import { streamMachine } from '../stream-machine.ts';

export const start = 1_000_000;
export const uuid = '11111111-0000-4000-8000-000000000001';
export const leg = '22222222-0000-4000-8000-000000000002';

export const statistics = {
  framesSent: 5,
  framesDropped: 0,
  playedMs: 0,
  playDroppedMs: 0,
  framesReceived: 0,
  framesRefused: 0,
};

/** An order of an owner of kind `test`. */
export function exampleOrder(over: Partial<NewStream> = {}): NewStream {
  return {
    stream: uuid,
    account: 'MAEXAMPLE',
    mainAccount: 'MAEXAMPLE',
    owner: { kind: 'test', id: 'owner-1' },
    callUuid: leg,
    from: 'ann',
    to: '+12025550100',
    serviceUrl: 'wss://bot.example/audio',
    bidirectional: true,
    audioTrack: 'inbound',
    tracks: [{ name: 'inbound', said: [leg], heard: [] }],
    hearers: [leg],
    contentType: 'audio/x-l16;rate=8000',
    timeoutSeconds: 600,
    extraHeaders: '',
    noiseCancellationLevel: null,
    statusCallback: { url: 'https://example.com/streamed', method: 'POST' },
    ...over,
  };
}

/** A stream that steps through inputs; keeps the effects of the last step. */
export class ScriptedStream {
  stream: Stream;
  effects: readonly StreamEffect[] = [];
  now = start;
  readonly #order: NewStream;
  readonly #machine;

  constructor(over: Partial<NewStream> = {}, limits: Partial<StreamLimits> = {}) {
    this.#order = exampleOrder(over);
    const { tracks: _, hearers: __, ...settings } = this.#order;
    this.#machine = streamMachine({ ...streamLimits, ...limits });
    this.stream = newStream(settings, start);
  }

  static ordered(over: Partial<NewStream> = {}, limits: Partial<StreamLimits> = {}): ScriptedStream {
    const scripted = new ScriptedStream(over, limits);
    const { tracks, hearers } = scripted.#order;
    return scripted.feed({ type: 'ordered', tracks, hearers });
  }

  static streaming(over: Partial<NewStream> = {}, limits: Partial<StreamLimits> = {}): ScriptedStream {
    return ScriptedStream.ordered(over, limits).found().connected();
  }

  feed(input: StreamInput): this {
    const step = this.#machine.step(this.stream, input, this.now);
    this.stream = step.state;
    this.effects = step.effects;
    return this;
  }

  found(): this {
    const target = { addresses: ['8.8.8.8'], port: 443, headers: {} };
    return this.feed({ type: 'target-found', attempt: this.stream.attempt.number, target });
  }

  refused(isFinal = false): this {
    const attempt = this.stream.attempt.number;
    return this.feed({
      type: 'target-refused',
      attempt,
      fault: { code: 'address-refused', sentence: 'not there' },
      isFinal,
    });
  }

  connected(): this {
    return this.feed({ type: 'stream-connected', stream: uuid });
  }

  unreachable(): this {
    return this.feed({ type: 'stream-unreachable', stream: uuid, sentence: 'nobody listens' });
  }

  lost(code = 1006): this {
    return this.feed({ type: 'stream-lost', stream: uuid, code, sentence: `closed with ${code}` });
  }

  /** `sentence`: the engine has no slot for it. */
  over(sentence?: string): this {
    const more = sentence === undefined ? {} : { sentence };
    return this.feed({ type: 'stream-over', stream: uuid, statistics, ...more });
  }

  fire(key: string): this {
    return this.feed({ type: 'timer-fired', key });
  }

  /** Fires the pause timer that the last step started. */
  afterPause(): this {
    const timer = this.effects.find((effect) => effect.do === 'start-timer' && effect.key === 'pause');
    if (timer?.do !== 'start-timer') throw new Error('no pause was begun');
    this.now = timer.at;
    return this.fire('pause');
  }

  after(ms: number): this {
    this.now += ms;
    return this;
  }

  get orders(): readonly string[] {
    return this.effects.map((effect) => effect.do).filter((order) => order !== 'cancel-timer');
  }

  get events(): readonly StreamEvent[] {
    return this.effects.flatMap((effect) => (effect.do === 'emit' ? [effect.event] : []));
  }

  find<Do extends StreamEffect['do']>(order: Do): Extract<StreamEffect, { do: Do }> | undefined {
    return this.effects.find((effect) => effect.do === order) as
      | Extract<StreamEffect, { do: Do }>
      | undefined;
  }
}
