import { type Instant, type Machine, type Step, stay } from '@jackfield/ports';
import type {
  AnswerSound,
  Detection,
  DetectionEffect,
  DetectionInput,
  DetectionReason,
} from './detection.ts';

/**
 * A person says a hello and waits for an answer; a machine goes on. Chosen by `npm run bench -- machine-detection`, whose corpus has both.
 */
const detectionTimes = {
  /** Longer talk is an announcement. */
  longMs: 2_500,
  /** "Hello?": talk of up to this length is over after `shortPauseMs` of silence. */
  shortMs: 1_300,
  shortPauseMs: 800,
  /** Longer talk pauses between sentences. */
  pauseMs: 1_000,
  /** A person who says nothing; recorders have begun by then. */
  silentMs: 3_500,
  /** A recorder's greeting ends within a minute, or has no beep. */
  beepMs: 60_000,
} as const;

/** The engine reports a pause after this much of it. */
const reportedPauseMs = 200;

type DetectionStep = Step<Detection, DetectionEffect>;

export const detectionMachine: Machine<Detection, DetectionInput, DetectionEffect> = { step };

function step(detection: Detection, input: DetectionInput, now: Instant): DetectionStep {
  switch (detection.phase) {
    case 'opened':
      return input.type === 'begin' ? begun(detection, now) : left(detection, input);
    case 'listening':
      return listening(detection, input, now);
    case 'awaiting-beep':
      if (input.type === 'sound' && input.sound === 'beep') return beeped(detection, now);
      return input.type === 'timer-fired' ? over(detection) : left(detection, input);
    case 'over':
      return stay(detection);
  }
}

function begun(detection: Detection, now: Instant): DetectionStep {
  const { timeMs } = detection.order;
  return {
    state: { ...detection, phase: 'listening', answeredAt: now },
    effects: [
      { do: 'watch', watched: true },
      { do: 'start-timer', key: 'time', at: now + timeMs },
      { do: 'start-timer', key: 'silence', at: now + detectionTimes.silentMs },
    ],
  };
}

function left(detection: Detection, input: DetectionInput): DetectionStep {
  return input.type === 'leg-over' ? over(detection) : stay(detection);
}

function listening(detection: Detection, input: DetectionInput, now: Instant): DetectionStep {
  switch (input.type) {
    case 'sound':
      return heard(detection, input.sound, now);
    case 'timer-fired':
      return timerFired(detection, input.key, now);
    default:
      return left(detection, input);
  }
}

function heard(detection: Detection, sound: AnswerSound, now: Instant): DetectionStep {
  switch (sound) {
    case 'tone':
      // Before any word it may be a ringing tone of a telephone system that answers first.
      return detection.since === null ? stay(detection) : decide(detection, true, 'beep', now);
    case 'voice':
      return detection.isTalking ? stay(detection) : talks(detection, now);
    case 'pause':
      return detection.isTalking ? pauses(detection, now) : stay(detection);
    case 'beep':
      return stay(detection);
  }
}

/** Pauses within an announcement are part of it. */
function talks(detection: Detection, now: Instant): DetectionStep {
  const since = detection.since ?? now;
  const state = { ...detection, since, isTalking: true };
  const longAt = since + detectionTimes.longMs;
  if (longAt <= now) return decide(state, true, 'long-greeting', now);
  return {
    state,
    effects: [
      { do: 'cancel-timer', key: 'silence' },
      { do: 'start-timer', key: 'long', at: longAt },
    ],
  };
}

function pauses(detection: Detection, now: Instant): DetectionStep {
  const talkedMs = now - reportedPauseMs - (detection.since ?? now);
  const { shortMs, shortPauseMs, pauseMs } = detectionTimes;
  const silentMs = (talkedMs <= shortMs ? shortPauseMs : pauseMs) - reportedPauseMs;
  return {
    state: { ...detection, isTalking: false },
    effects: [
      { do: 'cancel-timer', key: 'long' },
      { do: 'start-timer', key: 'silence', at: now + silentMs },
    ],
  };
}

function timerFired(detection: Detection, key: string, now: Instant): DetectionStep {
  switch (key) {
    case 'silence':
      return decide(detection, false, detection.since === null ? 'silence' : 'greeting-over', now);
    case 'long':
      return decide(detection, true, 'long-greeting', now);
    default:
      return decide(detection, false, 'time-over', now);
  }
}

function decide(
  detection: Detection,
  isMachine: boolean,
  reason: DetectionReason,
  now: Instant,
): DetectionStep {
  const { answeredAt, order } = detection;
  const event = { type: 'decided', verdict: { isMachine, reason, afterMs: now - answeredAt } } as const;
  const effects: DetectionEffect[] = [
    ...timers.map((key) => ({ do: 'cancel-timer', key }) as const),
    { do: 'emit', event },
  ];
  if (isMachine && order.hangsUp) {
    const ended = over(detection);
    return { state: ended.state, effects: [...effects, ...ended.effects, { do: 'hang-up' }] };
  }
  effects.push({ do: 'notify', event });
  if (!isMachine) {
    const ended = over(detection);
    return { state: ended.state, effects: [...effects, ...ended.effects] };
  }
  effects.push({ do: 'start-timer', key: 'beep', at: now + detectionTimes.beepMs });
  return { state: { ...detection, phase: 'awaiting-beep' }, effects };
}

function beeped(detection: Detection, now: Instant): DetectionStep {
  const event = { type: 'beeped', afterMs: now - detection.answeredAt } as const;
  const ended = over(detection);
  return {
    state: ended.state,
    effects: [{ do: 'emit', event }, { do: 'notify', event }, ...ended.effects],
  };
}

const timers = ['time', 'silence', 'long'] as const;

function over(detection: Detection): DetectionStep {
  const effects: DetectionEffect[] = [...timers, 'beep'].map((key) => ({ do: 'cancel-timer', key }));
  if (detection.phase !== 'opened') effects.push({ do: 'watch', watched: false });
  return { state: { ...detection, phase: 'over' }, effects };
}
