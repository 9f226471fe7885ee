import {
  dialDelays,
  type NewParticipant,
  readBoolean,
  ringTimeouts,
  secondsForEachAllowed,
} from '@jackfield/contract';
import { legSpec } from '@jackfield/ports';
import { invalidParameter, missingParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { readSipHeaders } from '../call-instructions/index.ts';
import { bareNameIn, dialable } from '../calls/index.ts';
import { readMachineDetection } from '../machine-detection/index.ts';
import type { RequestedParticipant } from './domain/participant.ts';

/** One destination of a request, and how it is called. */
export type RequestedPhone = Pick<RequestedParticipant, 'spec' | 'delaySeconds'>;

/** The destinations: several phones for one slot, or a live call that is claimed. */
export type RequestedPhones =
  | { readonly callUuid: null; readonly phones: readonly [RequestedPhone, ...RequestedPhone[]] }
  | { readonly callUuid: string; readonly phones: null };

/** docs/interface/multiparty-calls.md#adding-participants: exactly one of `call_uuid` and `from` with `to`; several destinations for agents only. */
export function readPhones(body: NewParticipant): Result<RequestedPhones> {
  const { from, to, call_uuid: callUuid } = body;
  const sipHeaders = readSipHeaders(body.sip_headers);
  if (!sipHeaders.ok) return sipHeaders;
  if (body.role.toLowerCase() === 'ai-agent') return readAgentAsPhone(body);
  if (callUuid !== undefined) {
    if (from === undefined && to === undefined) {
      return accepted({ callUuid: callUuid.toLowerCase(), phones: null });
    }
    const given = from === undefined ? 'to' : 'from';
    return refused(
      invalidParameter('call_uuid', callUuid, `left out where ${given} is given (it names a live call)`),
    );
  }
  if (from === undefined || to === undefined) {
    return refused(missingParameter(from === undefined ? 'from' : 'to'));
  }
  const destinations = to.split('<');
  if (destinations.length > 1 && body.role.toLowerCase() !== 'agent') {
    return refused(
      invalidParameter('to', to, `one destination: several are for the role agent, not for ${body.role}`),
    );
  }
  const bareName = bareNameIn(destinations);
  if (bareName !== undefined) return refused(invalidParameter('to', bareName, dialable));
  const ringTimeout = readSeconds(body, 'ring_timeout', ringTimeouts, destinations.length);
  if (!ringTimeout.ok) return ringTimeout;
  const delay = readSeconds(body, 'delay_dial', dialDelays, destinations.length);
  if (!delay.ok) return delay;
  const detection = readMachineDetection(body);
  if (!detection.ok) return detection;
  const [first = '', ...others] = destinations;
  const phone = (each: string, index: number): RequestedPhone => ({
    spec: legSpec({
      from,
      callerName: body.caller_name ?? from,
      to: each,
      sipHeaders: sipHeaders.value,
      ringTimeoutSeconds: ringTimeout.value(index),
      sendDigits: body.send_digits ?? '',
      sendOnPreanswer: readBoolean(body.send_on_preanswer) ?? false,
      ...(detection.value === null ? {} : { machineDetection: detection.value }),
    }),
    delaySeconds: delay.value(index),
  });
  return accepted({
    callUuid: null,
    phones: [phone(first, 0), ...others.map((each, index) => phone(each, index + 1))],
  });
}

/** An ai-agent has no phone: `from` and `to` only appear in its callbacks and records. */
function readAgentAsPhone(body: NewParticipant): Result<RequestedPhones> {
  const { from = '', to = 'ai-agent', caller_name: callerName = from, call_uuid: callUuid } = body;
  if (callUuid !== undefined) {
    return refused(invalidParameter('call_uuid', callUuid, 'left out where role is ai-agent'));
  }
  const phone = { spec: legSpec({ from, callerName, to }), delaySeconds: 0 };
  return accepted({ callUuid: null, phones: [phone] });
}

/** One number counts for every destination; destinations beyond the end of a list have the default. */
function readSeconds(
  body: NewParticipant,
  parameter: 'ring_timeout' | 'delay_dial',
  range: { readonly minimum: number; readonly maximum: number; readonly default: number },
  destinations: number,
): Result<(index: number) => number> {
  const given = body[parameter];
  if (given === undefined) return accepted(() => range.default);
  const numbers = String(given).split('<').map(Number);
  const { minimum, maximum } = range;
  if (numbers.some((each) => each < minimum || each > maximum)) {
    return refused(invalidParameter(parameter, given, secondsForEachAllowed(minimum, maximum)));
  }
  if (numbers.length > destinations) {
    const allowed = `no longer than the list of destinations, which has ${destinations}`;
    return refused(invalidParameter(parameter, given, allowed));
  }
  const [first = range.default] = numbers;
  return accepted((index) => (numbers.length === 1 ? first : (numbers[index] ?? range.default)));
}
