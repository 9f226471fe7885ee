import type { Step } from '../step.ts';
import type { QualitySample } from './quality-sample.ts';

/** What is wrong with the quality of a call. */
export type QualityWarning =
  | 'high-loss'
  | 'high-jitter'
  | 'high-rtt'
  | 'low-mos'
  | 'low-microphone'
  | 'no-audio-received';

/** A warning begins, or ends. */
export interface WarningEffect {
  readonly do: 'begin' | 'end';
  readonly warning: QualityWarning;
}

/** For each warning, the samples in a row that speak for a change: bad ones before it begins, good ones while it lasts. */
export interface WarningState {
  readonly active: readonly QualityWarning[];
  readonly streaks: Readonly<Partial<Record<QualityWarning, number>>>;
}

/** The microphone is open, or muted or on hold. */
export interface SampledCall {
  readonly sample: QualitySample;
  readonly isSilent: boolean;
  readonly isHeld: boolean;
}

/** A call without warnings. */
export const noWarnings: WarningState = { active: [], streaks: {} };

/** Bad samples that begin a warning, and good ones that end it: 10 s and 15 s. */
const BEGINS_AFTER = 2;
const ENDS_AFTER = 3;

/** Whether a sample is bad, or good; between the two bounds it is neither, so that a value near one bound does not blink. */
type Verdict = 'bad' | 'good' | 'neither';

/** ITU-T G.114: up to 150 ms one way is good, 400 ms are the limit. ITU-T G.113: 1 % of loss is heard, 3 % disturbs. */
const rules: Readonly<Record<QualityWarning, (call: SampledCall) => Verdict>> = {
  'high-loss': ({ sample }) => above(sample.lossPercent, 3, 1),
  'high-jitter': ({ sample }) => above(sample.jitterMs, 30, 20),
  'high-rtt': ({ sample }) => above(sample.roundTripMs, 400, 300),
  'low-mos': ({ sample }) => above(sample.mos === undefined ? undefined : -sample.mos, -3.5, -3.8),
  'low-microphone': ({ sample: { inputLevel }, isSilent }) =>
    isSilent || inputLevel === undefined ? 'neither' : above(-inputLevel, -0.001, -0.002),
  'no-audio-received': ({ sample: { packetsReceived }, isHeld }) =>
    packetsReceived > 0 ? 'good' : isHeld ? 'neither' : 'bad',
};

/** One sample of a call. */
export function stepWarnings(state: WarningState, call: SampledCall): Step<WarningState, WarningEffect> {
  const effects: WarningEffect[] = [];
  const streaks: Partial<Record<QualityWarning, number>> = {};
  let { active } = state;
  for (const warning of Object.keys(rules) as QualityWarning[]) {
    const isActive = active.includes(warning);
    const verdict = rules[warning](call);
    const streak = verdict === (isActive ? 'good' : 'bad') ? (state.streaks[warning] ?? 0) + 1 : 0;
    if (streak < (isActive ? ENDS_AFTER : BEGINS_AFTER)) {
      streaks[warning] = streak;
      continue;
    }
    active = isActive ? active.filter((each) => each !== warning) : [...active, warning];
    effects.push({ do: isActive ? 'end' : 'begin', warning });
  }
  return { state: { active, streaks }, effects };
}

function above(value: number | undefined, bad: number, good: number): Verdict {
  if (value === undefined) return 'neither';
  if (value >= bad) return 'bad';
  return value <= good ? 'good' : 'neither';
}
