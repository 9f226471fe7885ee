import type { Call } from './call/call.ts';
import type { QualitySample } from './quality/quality-sample.ts';
import type { QualityWarning } from './quality/quality-warnings.ts';
import type { VoiceError } from './voice-error.ts';

/** What a test call found out. */
export interface PreflightReport {
  /** Until the phone was registered, and until the echo phone had answered. */
  readonly registeredMs: number;
  readonly answeredMs: number;
  /** `udp`, or `tcp` where the network blocks it. */
  readonly transport: string | undefined;
  readonly codec: string | undefined;
  readonly lossPercent: number;
  readonly jitterMs: number;
  readonly roundTripMs: number | undefined;
  /** The worst sample. */
  readonly mos: number | undefined;
  readonly warnings: readonly QualityWarning[];
}

/** The parts of a phone that the test call needs. */
interface TestPhone {
  register(): Promise<void>;
  call(to: string): Call;
  close(): void;
}

/** The echo phone, and how long the test call lasts. */
export interface PreflightOptions {
  readonly echo?: string;
  readonly seconds?: number;
}

/** Registers, calls the echo phone, and measures; `Failure` comes from the caller, because a bundler gives shared code a file of its own. */
export async function runPreflight(
  phone: TestPhone,
  { echo = '+12025550100', seconds = 10 }: PreflightOptions,
  now: () => number,
  Failure: typeof VoiceError,
): Promise<PreflightReport> {
  // A sample comes every five seconds.
  const samples = Math.max(1, Math.round(seconds / 5));
  const began = now();
  try {
    await phone.register();
    const registeredMs = now() - began;
    const call = phone.call(echo);
    const taken: QualitySample[] = [];
    const warnings = new Set<QualityWarning>();
    let answeredMs = 0;
    await new Promise<void>((resolve, reject) => {
      call.on('accepted', () => {
        answeredMs = now() - began;
      });
      call.on('warning', ({ warning }) => warnings.add(warning));
      call.on('quality', (sample) => {
        if (taken.push(sample) >= samples) resolve();
      });
      call.on('ended', ({ by, status, reason }) => {
        const why = [status, reason].filter((each) => each !== undefined).join(' ');
        const about = status === undefined ? {} : { status };
        reject(new Failure('unreachable', `The test call ended (${by}) ${why}`.trim(), about));
      });
    });
    call.hangUp();
    return { registeredMs, answeredMs, ...summary(taken), warnings: [...warnings] };
  } finally {
    phone.close();
  }
}

function summary(samples: readonly QualitySample[]) {
  const last = samples.at(-1);
  const lost = samples.reduce((sum, { packetsLost }) => sum + packetsLost, 0);
  const received = samples.reduce((sum, { packetsReceived }) => sum + packetsReceived, 0);
  const scores = samples.map(({ mos }) => mos).filter((mos) => mos !== undefined);
  return {
    transport: last?.transport,
    codec: last?.codec,
    lossPercent: lost + received === 0 ? 100 : (100 * lost) / (lost + received),
    jitterMs: Math.max(0, ...samples.map(({ jitterMs }) => jitterMs)),
    roundTripMs: last?.roundTripMs,
    mos: scores.length === 0 ? undefined : Math.min(...scores),
  };
}
