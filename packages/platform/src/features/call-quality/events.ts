import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { TakenSample } from './sampling/sampler.ts';

/** The event of a changed class; undefined for a sample of the same class. */
export function qualityEventOf(taken: TakenSample): OutboxEvent | undefined {
  const { leg, account, mainAccount, sample, changedFrom } = taken;
  if (changedFrom === undefined) return undefined;
  return {
    type: 'call.quality',
    account,
    mainAccount,
    resource: `call/${leg}`,
    payload: {
      CallUUID: leg,
      Class: sample.class,
      PreviousClass: changedFrom,
      Mos: sample.mos,
      LossPercent: sample.loss_percent,
      JitterMs: sample.jitter_ms,
    },
  };
}
