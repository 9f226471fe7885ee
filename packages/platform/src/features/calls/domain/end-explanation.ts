import type { HangupSource } from '@jackfield/ports';

/** An ended leg, as its record shows it. */
export interface EndedLeg {
  readonly direction: 'inbound' | 'outbound';
  readonly from: string;
  readonly to: string;
  /** Whole seconds from the beginning to the answer, or to the end without an answer. */
  readonly ringSeconds: number;
  /** Whole seconds from the answer to the end; null without an answer. */
  readonly talkSeconds: number | null;
  readonly code: number;
  readonly name: string;
  readonly source: HangupSource;
  readonly reason: string | null;
}

type Sentence = (leg: EndedLeg) => string;

const calleeOf = ({ to }: EndedLeg) => `The callee (${to})`;

/** Who ended the leg, as the subject of a sentence. */
function whoEnded(leg: EndedLeg): string {
  switch (leg.source) {
    case 'Caller':
      return `The caller (${leg.from})`;
    case 'Call recipient':
      return calleeOf(leg);
    case 'Carrier':
      return 'The carrier';
    case 'API Request':
      return 'A request to the API';
    case 'Answer XML':
      return 'The document';
    case 'Service':
    case 'Error':
    case 'Unknown':
      return 'The platform';
  }
}

const when = ({ talkSeconds, ringSeconds }: EndedLeg) =>
  talkSeconds === null ? `before an answer, after ${ringSeconds} s` : `${talkSeconds} s after the answer`;

/** Sentences of causes that say more than who and when. */
const sentences: Readonly<Record<number, Sentence>> = {
  2000: (leg) => `The call was not made: ${leg.to} is no valid destination`,
  2010: (leg) => `${calleeOf(leg)} could not be reached: out of service or unavailable`,
  2020: (leg) => `The call was not made: no phone is registered for ${leg.to}`,
  2060: () => 'The call was refused: it went in a loop',
  3000: (leg) => `${calleeOf(leg)} did not answer within ${leg.ringSeconds} s`,
  3010: (leg) => `${calleeOf(leg)} was busy`,
  3020: (leg) => `${whoEnded(leg)} rejected the call`,
  3030: (leg) => `The carrier does not accept ${leg.from} as the number of a caller`,
  3040: (leg) => `${whoEnded(leg)} refused the call as forbidden`,
  3050: (leg) => `The number ${leg.to} is not in use`,
  3070: (leg) => `${calleeOf(leg)} did not respond to the call at all`,
  3080: () => 'The carrier failed with an internal error',
  3090: () => 'The network of the callee is congested',
  3100: (leg) => `${calleeOf(leg)} was busy on every phone`,
  3110: (leg) => `${calleeOf(leg)} declined the call`,
  3120: (leg) => `${leg.to} does not exist`,
  4010: (leg) => `The document had no further instruction ${when(leg)}`,
  4020: (leg) => `The multiparty call ended ${when(leg)}`,
  4030: (leg) => `A request to the API removed the participant from the multiparty call ${when(leg)}`,
  5000: (leg) => `The connection to the phone was lost ${when(leg)}`,
  5020: (leg) => `The call was not made: no route leads to ${leg.to}`,
  5030: () => 'The call was not made: the limit of calls at the same time was reached',
  6000: (leg) => `The platform hung up ${when(leg)}: the time limit of the call was reached`,
  6010: (leg) => `${calleeOf(leg)} did not answer within the ring timeout of ${leg.ringSeconds} s`,
  6020: (leg) => `The platform hung up ${when(leg)}: no audio came from the phone`,
  9000: () => 'Another phone of the same call answered first',
  9100: (leg) => `${calleeOf(leg)} was a machine`,
  9110: (leg) => `${calleeOf(leg)} did not press the key that confirms the call`,
};

const hungUp = (leg: EndedLeg) =>
  `${whoEnded(leg)} ${leg.talkSeconds === null ? 'gave up' : 'hung up'} ${when(leg)}`;

/** One sentence for people: why the call ended, who ended it and when. */
export function explainEnd(leg: EndedLeg): string {
  const { code, name, reason } = leg;
  const isHangup = code === 4000 || code === 1000;
  const sentence =
    sentences[code]?.(leg) ??
    (isHangup ? hungUp(leg) : `${whoEnded(leg)} ended the call ${when(leg)}: ${name}`);
  return reason === null ? `${sentence}.` : `${sentence}: ${reason}`;
}
