import type { AudioStreams, EgressAddresses, Logger } from '@jackfield/ports';
import { type WithOutboxEvents, withOutboxEvents } from '../../kernel/outbox-emitting.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { Sounds } from '../sounds/index.ts';
import type { Usage } from '../usage/index.ts';
import {
  type Stream,
  type StreamEffect,
  type StreamInput,
  type StreamLimits,
  type StreamSettings,
  streamLimits,
} from './domain/stream.ts';
import { streamMachine } from './domain/stream-machine.ts';
import { outboxEventOf } from './events.ts';
import { audioStreamOf } from './live/audio-stream.ts';
import { createHoldAudio, holdOwnerKind } from './live/hold-audio.ts';
import type { SignUpgrade } from './live/sign-upgrade.ts';
import { targetInput } from './live/target-input.ts';
import type { StreamNotice } from './public-api.ts';
import { isRecorded, saveStream } from './store.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly audioStreams: AudioStreams;
  readonly egress: EgressAddresses;
  readonly sounds: Sounds;
  readonly usage: Usage;
  readonly log: Logger;
  readonly limits?: Partial<StreamLimits>;
}

export interface SessionListeners {
  readonly sign: SignUpgrade;
  readonly notifyOwner: (stream: StreamSettings, notice: StreamNotice) => void;
  /** After the commit of its end; the media engine releases the stream soon after. */
  readonly whenEnded: (stream: StreamSettings) => void;
}

/** One session for each live stream: its machine, its record, and all its commands to the media engine. */
export function defineSessions(
  deps: SessionDeps,
  listeners: SessionListeners,
): Sessions<Stream, StreamInput> {
  const { audioStreams, egress, sounds, log } = deps;
  const limits = { ...streamLimits, ...deps.limits };
  const hold = createHoldAudio(sounds);

  const sessions = deps.runner.define<Stream, StreamInput, WithOutboxEvents<StreamEffect>>({
    name: holdOwnerKind,
    machine: withOutboxEvents(streamMachine(limits), (stream, { event }, now) =>
      outboxEventOf(stream, event, now),
    ),
    save: (write, _uuid, before, after, incarnation) =>
      saveStream(write, before, after, deps.usage.rateOfStreams(), incarnation),
    isRecorded,
    isBilled: true,
    isEnded: ({ phase }) => phase === 'over',
    perform(uuid, effect) {
      const stream = sessions.peek(uuid);
      if (stream === undefined) return;
      switch (effect.do) {
        case 'open':
          return audioStreams.open(audioStreamOf(stream.order, effect, limits.resumeMs));
        case 'find-target':
          return findTarget(stream.order, effect);
        case 'connect': {
          const { url, target, resumed } = effect;
          const { addresses, port, headers } = target;
          const timeoutMs = limits.connectMs;
          return audioStreams.connect(uuid, { url, addresses, port, headers, timeoutMs, resumed });
        }
        case 'retrack':
          return audioStreams.retrack(uuid, effect.tracks);
        case 'replay':
          return audioStreams.replay(uuid, effect.hearers);
        case 'close':
          return audioStreams.close(uuid, effect.reason);
        case 'hold':
          return hold.start(stream.order, effect.hearers);
        case 'end-hold':
          return hold.end(uuid);
        case 'notify-begun':
          return listeners.notifyOwner(stream.order, { type: 'stream-begun', stream: uuid });
        case 'notify-ended':
          listeners.whenEnded(stream.order);
          return listeners.notifyOwner(stream.order, {
            type: 'stream-ended',
            stream: uuid,
            outcome: effect.outcome,
          });
      }
    },
  });

  function findTarget(order: StreamSettings, { attempt, url }: Extract<StreamEffect, { do: 'find-target' }>) {
    Promise.all([egress.resolve(url, limits.connectMs), listeners.sign(url, order)])
      .then(([found, headers]) => targetInput(attempt, found, headers))
      .catch((error: unknown): StreamInput => {
        log.error({ stream: order.stream, err: error }, 'stream address lookup failed');
        const fault = { code: 'internal', sentence: 'the platform failed to look the address up' } as const;
        return { type: 'target-refused', attempt, fault, isFinal: false };
      })
      .then((input) => sessions.send(order.stream, input));
  }

  audioStreams.subscribe((notice) => {
    if (notice.type === 'stream-over' && notice.error !== undefined) {
      log.error({ stream: notice.stream, err: notice.error }, 'stream ended by an exception');
    }
    // The engine may have streams of other parts, such as a test's.
    if (sessions.peek(notice.stream) !== undefined) sessions.send(notice.stream, notice);
  });
  return sessions;
}
