import type { Machine, TimerFired } from '@jackfield/ports';
import type { Usage } from '../../usage/index.ts';
import type { MultipartyCall } from '../domain/multiparty-call.ts';
import { billableSeconds, type Participant } from '../domain/participant.ts';

/**
 * Bills each participant when it leaves, by the rate of its leg; the bill of the call is the sum. The bill covers the seconds in the
 * call; the leg is billed once, on its own record.
 */
export function withBills<Input, Effect>(
  machine: Machine<MultipartyCall, Input | TimerFired, Effect>,
  usage: Pick<Usage, 'amountOf'>,
): Machine<MultipartyCall, Input | TimerFired, Effect> {
  return {
    step(before, input, now) {
      const step = machine.step(before, input, now);
      const state = billed(step.state, usage);
      return state === step.state ? step : { state, effects: step.effects };
    },
  };
}

function billed(call: MultipartyCall, usage: Pick<Usage, 'amountOf'>): MultipartyCall {
  if (!call.participants.some(isUnbilled)) return call;
  let { seconds, units } = call.billed;
  const participants = call.participants.map((each) => {
    if (!isUnbilled(each)) return each;
    const bill = usage.amountOf(each.rate, Math.min(billableSeconds(each), call.maxDurationSeconds));
    seconds += bill.billedSeconds;
    units += bill.units;
    return { ...each, bill: { seconds: bill.billedSeconds, units: bill.units } };
  });
  return { ...call, participants, billed: { seconds, units } };
}

function isUnbilled({ phase, bill }: Participant): boolean {
  return phase === 'exited' && bill === null;
}
