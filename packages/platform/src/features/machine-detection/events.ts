import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { Detection, DetectionEvent } from './domain/detection.ts';

/** The event for the outbox, with the parameters of the call; delivered in order with the other events of the call. */
export function outboxEventOf(
  { leg, order }: Detection,
  event: DetectionEvent,
  parameters: Readonly<Record<string, string>>,
): OutboxEvent {
  return {
    type: event.type === 'decided' ? 'call.machine-detection' : 'call.machine-beep',
    account: leg.account,
    mainAccount: leg.mainAccount,
    resource: `call/${leg.leg}`,
    payload: { ...parameters, ...fieldsOf(event) },
    ...(order.callback === null ? {} : { callback: order.callback }),
  };
}

function fieldsOf(event: DetectionEvent): Readonly<Record<string, string>> {
  if (event.type === 'beeped') {
    return { Event: 'MachineBeep', Machine: 'true', MachineBeepMs: String(Math.round(event.afterMs)) };
  }
  const { isMachine, reason, afterMs } = event.verdict;
  return {
    Event: 'MachineDetection',
    Machine: String(isMachine),
    MachineReason: reason,
    MachineDetectionMs: String(Math.round(afterMs)),
  };
}
