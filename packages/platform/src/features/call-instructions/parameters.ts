import {
  type NewCallBody,
  readBoolean,
  readInteger,
  readOneOf,
  readRequest,
  type TransferBody,
} from '@jackfield/contract';
import { defaultLegLimits, type LegSpec, legSpec } from '@jackfield/ports';
import { invalidParameter, missingParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { bareNameIn, dialable, type LegCallbacks } from '../calls/index.ts';
import { readMachineDetection } from '../machine-detection/index.ts';
import type { ActionRequest } from './domain/instruction.ts';
import { readSipHeaders } from './parse/sip-headers.ts';

/** The calls that POST Call/ requests. */
export interface RequestedCall {
  /** One for each destination. */
  readonly specs: readonly LegSpec[];
  readonly answer: ActionRequest;
  readonly fallback: ActionRequest | null;
  readonly callbacks: LegCallbacks;
  readonly hangupOnRingSeconds: number | null;
  readonly parent: { readonly leg: string; readonly mustLive: boolean } | null;
}

/** The transfer that POST Call/{call_uuid}/ requests: the next document of one leg or of both. */
export interface RequestedTransfer {
  readonly aLeg: ActionRequest | null;
  readonly bLeg: ActionRequest | null;
}

/** Reads a validated body; defaults are those of docs/interface/calls.md#making-a-call. */
export function readNewCall(body: NewCallBody): Result<RequestedCall> {
  const wrong = wrongUrl(body, [
    'answer_url',
    'ring_url',
    'hangup_url',
    'fallback_url',
    'machine_detection_url',
  ]);
  if (wrong !== undefined) return wrong;
  const headers = readSipHeaders(body.sip_headers);
  if (!headers.ok) return headers;
  const detection = readMachineDetection(body);
  if (!detection.ok) return detection;
  const to = body.to.split('<');
  const bareName = bareNameIn(to);
  if (bareName !== undefined) return refused(invalidParameter('to', bareName, dialable));
  const ring = readRequest(body.ring_url, body.ring_method);
  const answer = readRequest(body.answer_url, body.answer_method);
  const common = {
    from: body.from,
    callerName: body.caller_name ?? body.from,
    sipHeaders: headers.value,
    ringTimeoutSeconds: readInteger(body.ring_timeout) ?? defaultLegLimits.ringTimeoutSeconds,
    timeLimitSeconds: readInteger(body.time_limit) ?? defaultLegLimits.timeLimitSeconds,
    sendDigits: body.send_digits ?? '',
    sendOnPreanswer: readBoolean(body.send_on_preanswer) ?? false,
    ...(detection.value === null ? {} : { machineDetection: detection.value }),
  };
  return accepted({
    specs: to.map((each) => legSpec({ ...common, to: each })),
    answer,
    fallback: readRequest(body.fallback_url, body.fallback_method),
    callbacks: {
      ...(ring === null ? {} : { ring }),
      hangup: readRequest(body.hangup_url, body.hangup_method) ?? answer,
    },
    hangupOnRingSeconds: readInteger(body.hangup_on_ring) ?? null,
    parent:
      body.parent_call_uuid === undefined
        ? null
        : {
            leg: body.parent_call_uuid.toLowerCase(),
            mustLive: readBoolean(body.error_parent_not_found) ?? false,
          },
  });
}

export function readTransfer(body: TransferBody): Result<RequestedTransfer> {
  const wrong = wrongUrl(body, ['aleg_url', 'bleg_url']);
  if (wrong !== undefined) return wrong;
  const legs = readOneOf(['aleg', 'bleg', 'both'], body.legs) ?? 'aleg';
  const aLeg = legs === 'bleg' ? null : readRequest(body.aleg_url, body.aleg_method);
  const bLeg = legs === 'aleg' ? null : readRequest(body.bleg_url, body.bleg_method);
  if (legs !== 'bleg' && aLeg === null) return refused(missingParameter('aleg_url'));
  if (legs !== 'aleg' && bLeg === null) return refused(missingParameter('bleg_url'));
  return accepted({ aLeg, bLeg });
}

/** The schema checks how a URL begins; here, before any call, that it can be parsed (not `http://[::1`, nor a port of 99999). */
function wrongUrl<Name extends string>(
  body: Readonly<Partial<Record<Name, string>>>,
  names: readonly Name[],
): Result<never> | undefined {
  const name = names.find((each) => body[each] !== undefined && !URL.canParse(body[each]));
  if (name === undefined) return undefined;
  const allowed = 'a URL that starts with http:// or https://, of at most 2048 characters';
  return refused(invalidParameter(name, body[name], allowed));
}
