import { type Instant, type Machine, type Step, stay } from '@jackfield/ports';
import { type AttemptStep, tryAgain, tryNow, urlOf } from './attempts.ts';
import {
  type Stream,
  type StreamEffect,
  type StreamEnd,
  type StreamEvent,
  type StreamFault,
  type StreamInput,
  type StreamLimits,
  streamLimits,
} from './stream.ts';

type Stepped = Step<Stream, StreamEffect>;
type Of<Type extends StreamInput['type']> = Extract<StreamInput, { readonly type: Type }>;

/** RFC 6455 §7.4.1: 1000 is a normal close, 1005 a close without a code. Any other code is a loss. */
const closedOnPurpose: readonly number[] = [1000, 1005];

export function streamMachine(
  limits: StreamLimits = streamLimits,
): Machine<Stream, StreamInput, StreamEffect> {
  return {
    step(stream, input, now) {
      switch (stream.phase) {
        case 'over':
          return stay(stream);
        case 'closing':
          return input.type === 'stream-over'
            ? stay({ ...stream, phase: 'over', statistics: input.statistics })
            : stay(stream);
        default:
          return stepLive(stream, input, now, limits);
      }
    },
  };
}

function stepLive(stream: Stream, input: StreamInput, now: Instant, limits: StreamLimits): Stepped {
  switch (input.type) {
    case 'ordered':
      return ordered(stream, input);
    case 'target-found':
      return targetFound(stream, input);
    case 'target-refused': {
      const { attempt, fault, isFinal } = input;
      if (!isAwaited(stream, attempt)) return stay(stream);
      return orFail(stream, tryAgain(stream, fault, isFinal, now, limits), now);
    }
    case 'stream-unreachable': {
      if (stream.phase === 'streaming') return stay(stream);
      const fault: StreamFault = { code: 'unreachable', sentence: input.sentence };
      return orFail(stream, tryAgain(stream, fault, false, now, limits), now);
    }
    case 'stream-connected':
      return connected(stream, now);
    case 'stream-lost':
      return lost(stream, input, now, limits);
    case 'stream-over':
      // Without a stop: the media worker gave the sockets up.
      return vanished({ ...stream, statistics: input.statistics }, engineFault(input), now);
    case 'process-restarted':
      return vanished(stream, restarted, lastKnown(stream, input.diedAt));
    case 'stream-played':
      return reported(stream, { type: 'played', name: input.name }, now, limits);
    case 'stream-cleared':
      return reported(stream, { type: 'cleared' }, now, limits);
    case 'stream-notices-omitted':
      return stay(withOmitted(stream, input.count));
    case 'stream-degraded': {
      const { direction, droppedMs, percentFull } = input;
      return reported(stream, { type: 'degraded', direction, droppedMs, percentFull }, now, limits);
    }
    case 'stream-refused-frame':
      return reported(
        stream,
        { type: 'frame-refused', code: input.code, sentence: input.sentence },
        now,
        limits,
      );
    case 'retrack-asked':
      return retracked(stream, input);
    case 'stop-asked':
      return ended(stream, endAsked(input.reason), now);
    case 'timer-fired':
      return timerFired(stream, input.key, now);
  }
}

function ordered(stream: Stream, { tracks, hearers }: Of<'ordered'>): Stepped {
  const { state, effects } = tryNow({ ...stream, hearers });
  return { state, effects: [{ do: 'open', tracks, hearers }, ...effects] };
}

function isAwaited({ attempt, phase }: Stream, number: number): boolean {
  return phase !== 'streaming' && attempt.number === number;
}

function targetFound(stream: Stream, { attempt, target }: Of<'target-found'>): Stepped {
  if (!isAwaited(stream, attempt)) return stay(stream);
  const resumed = stream.phase === 'interrupted';
  return { state: stream, effects: [{ do: 'connect', url: urlOf(stream), target, resumed }] };
}

function orFail(stream: Stream, step: AttemptStep, now: Instant): Stepped {
  return 'failure' in step ? ended(stream, failed(step.failure), now) : step;
}

function connected(stream: Stream, now: Instant): Stepped {
  if (stream.phase === 'streaming') return stay(stream);
  if (stream.startedAt === null) {
    return {
      state: { ...stream, phase: 'streaming', startedAt: now },
      effects: [
        { do: 'start-timer', key: 'timeout', at: timeoutOf(stream, now) },
        { do: 'emit', event: { type: 'started' } },
        { do: 'notify-begun' },
      ],
    };
  }
  const interruption = stream.interruption && { ...stream.interruption, resumedAt: now };
  const afterMs = now - (interruption?.lostAt ?? now);
  return {
    state: { ...stream, phase: 'streaming', interruption, isHeld: false },
    effects: [...holdEnds(stream), { do: 'emit', event: { type: 'resumed', afterMs } }],
  };
}

function lost(stream: Stream, { code, sentence }: Of<'stream-lost'>, now: Instant, limits: StreamLimits) {
  if (stream.phase !== 'streaming') return stay(stream);
  if (closedOnPurpose.includes(code)) {
    return ended(stream, { outcome: 'stopped', reason: 'Closed by the application', fault: null }, now);
  }
  const { order, interruption: before, attempt } = stream;
  const fault: StreamFault = { code: 'connection-lost', sentence };
  if (order.resumable !== true) return ended(stream, failed(fault), now);
  // A server that accepts each connection and drops it at once gains no time.
  const hasRecovered = before === null || now - before.resumedAt >= limits.recoveredMs;
  const until = hasRecovered ? now + limits.resumeMs : before.until;
  const interrupted: Stream = {
    ...stream,
    phase: 'interrupted',
    attempt: hasRecovered ? { ...attempt, ofUrl: 0, isOther: false } : attempt,
    interruption: { lostAt: now, resumedAt: now, until },
  };
  const next = hasRecovered ? tryNow(interrupted) : tryAgain(interrupted, fault, false, now, limits);
  if ('failure' in next) return ended(stream, failed(fault), now);
  const effects: StreamEffect[] = [{ do: 'emit', event: { type: 'interrupted', fault } }];
  if (stream.hearers.length > 0) {
    effects.push({ do: 'start-timer', key: 'hold', at: now + limits.holdAfterMs });
  }
  return { state: next.state, effects: [...effects, ...next.effects] };
}

function retracked(stream: Stream, { tracks, hearers }: Of<'retrack-asked'>): Stepped {
  const state = { ...stream, hearers };
  const effects: StreamEffect[] = [{ do: 'retrack', tracks }];
  if (stream.order.bidirectional) effects.push({ do: 'replay', hearers });
  if (stream.isHeld) effects.push({ do: 'end-hold' }, { do: 'hold', hearers });
  return { state, effects };
}

function timerFired(stream: Stream, key: string, now: Instant): Stepped {
  switch (key) {
    case 'pause':
      return stream.phase === 'streaming' ? stay(stream) : tryNow(stream);
    case 'hold':
      if (stream.phase !== 'interrupted' || stream.isHeld) return stay(stream);
      return {
        state: { ...stream, isHeld: true },
        effects: [{ do: 'hold', hearers: stream.hearers }],
      };
    case 'timeout':
      // A late timer must not add a second, and with it a billed minute.
      return ended(stream, endAsked('Stream timeout'), Math.min(now, timeoutOf(stream, now)));
    default:
      return stay(stream);
  }
}

function timeoutOf({ startedAt, order }: Stream, now: Instant): Instant {
  return (startedAt ?? now) + order.timeoutSeconds * 1000;
}

function withOmitted(stream: Stream, count: number): Stream {
  return { ...stream, chatter: { ...stream.chatter, omitted: stream.chatter.omitted + count } };
}

/** An event that the other side causes; events over the limit are counted. */
function reported(stream: Stream, event: StreamEvent, now: Instant, limits: StreamLimits): Stepped {
  if (stream.phase === 'connecting') return stay(stream);
  const { chatter } = stream;
  const isNew = now - chatter.since >= 1000;
  const since = isNew ? now : chatter.since;
  const count = isNew ? 0 : chatter.emitted;
  if (count >= limits.eventsPerSecond) {
    return stay(withOmitted(stream, 1));
  }
  return {
    state: { ...stream, chatter: { ...chatter, since, emitted: count + 1 } },
    effects: [{ do: 'emit', event }],
  };
}

const restarted: StreamFault = { code: 'platform-restarted', sentence: 'the platform was restarted' };

function engineFault({ sentence }: Of<'stream-over'>): StreamFault {
  if (sentence !== undefined) return { code: 'no-capacity', sentence };
  return { code: 'internal', sentence: 'the media engine has ended the stream' };
}

function failed(fault: StreamFault): StreamEnd {
  return { outcome: 'failed', reason: 'Connection error', fault };
}

function endAsked(reason: Of<'stop-asked'>['reason']): StreamEnd {
  return { outcome: reason === 'Stream timeout' ? 'timeout' : 'stopped', reason, fault: null };
}

function holdEnds({ isHeld }: Stream): readonly StreamEffect[] {
  return [{ do: 'cancel-timer', key: 'hold' }, ...(isHeld ? [{ do: 'end-hold' } as const] : [])];
}

/** Every end passes here: it is reported once, and all timers and holds end. */
function ended(stream: Stream, end: StreamEnd, now: Instant): Stepped {
  return {
    state: { ...stream, phase: 'closing', endedAt: now, end, isHeld: false },
    effects: [
      { do: 'cancel-timer', key: 'pause' },
      { do: 'cancel-timer', key: 'timeout' },
      ...holdEnds(stream),
      { do: 'close', reason: end.reason },
      { do: 'emit', event: { type: end.outcome } },
      { do: 'notify-ended', outcome: end.outcome },
    ],
  };
}

/** Time without a process is not billed: the stream ended at its beginning or at the death of the process, whichever was later. */
function lastKnown({ startedAt, createdAt, order }: Stream, diedAt: Instant): Instant {
  const since = startedAt ?? createdAt;
  return Math.max(since, Math.min(diedAt, since + order.timeoutSeconds * 1000));
}

/** The sockets are gone: ends without a close. */
function vanished(stream: Stream, fault: StreamFault, now: Instant): Stepped {
  const { state, effects } = ended(stream, failed(fault), now);
  return { state: { ...state, phase: 'over' }, effects: effects.filter((effect) => effect.do !== 'close') };
}
