import { isE164, isSipUri, machineDetectionTimes } from '@jackfield/contract';
import { type MachineDetection, quoted } from '@jackfield/ports';
import type { Dial, DialDestination } from '../domain/instruction.ts';
import { type Attributes, attributesOf } from './attributes.ts';
import { bodyOf, childrenOf, type ElementReader } from './contents.ts';
import { parseSipHeaders, type SipHeaders } from './sip-headers.ts';

/** As many as a participant's `to` list may name (docs/interface/multiparty-calls.md#adding-participants). */
const maxDestinations = 20;

const callerIdRule = {
  pattern: /^[^\p{Cc}\p{Cs}<>"]{1,100}$/u,
  allowed: 'a phone number or the name of an endpoint, of at most 100 characters',
} as const;

const digitsRule = {
  pattern: /^[0-9*#wWA-D]{0,100}$/,
  allowed: 'at most 100 of the keys 0 to 9, *, #, A to D and the pauses w and W',
} as const;

const sequencesRule = {
  pattern: /^[0-9*#]{1,24}(?:\s*,\s*[0-9*#]{1,24}){0,49}$/,
  allowed: 'sequences of 1 to 24 keys, separated by commas',
} as const;

const headersRule = {
  pattern:
    /^[A-Za-z0-9-]{1,29}=[\x20-\x2b\x2d-\x7e]{1,120}(?:,\s*[A-Za-z0-9-]{1,29}=[\x20-\x2b\x2d-\x7e]{1,120}){0,19}$/,
  allowed:
    'at most 20 pairs such as name=value,other=value; names of letters, digits and hyphens, values of 1 to 120 printable ASCII characters',
} as const;

export const readDial: ElementReader<Dial> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const dial = {
    element: 'Dial',
    action: attributes.request('action', 'method', 'action'),
    redirect: attributes.flag('redirect', true),
    // docs/interface/calls.md#making-a-call: ring_timeout.
    timeoutSeconds: attributes.integer('timeout', { min: 1, max: 600, byDefault: 120 }),
    timeLimitSeconds: attributes.integer('timeLimit', { min: 1, max: 86_400, byDefault: 14_400 }),
    callerId: attributes.text('callerId', callerIdRule),
    callerName: attributes.text('callerName', {
      pattern: /^[^\p{Cc}\p{Cs}]{1,50}$/u,
      allowed: 'a name of 1 to 50 characters',
    }),
    hangupOnStar: attributes.flag('hangupOnStar', false),
    callback: attributes.request('callbackUrl', 'callbackMethod'),
    confirmSound: attributes.url('confirmSound'),
    confirmKey: attributes.text('confirmKey', { pattern: /^[0-9*#]$/, allowed: 'one key: 0 to 9, * or #' }),
    confirmTimeoutSeconds: attributes.integer('confirmTimeout', { min: 1, max: 600, byDefault: 15 }),
    dialMusic: readDialMusic(attributes),
    digitsMatch: sequences(attributes.text('digitsMatch', sequencesRule)),
    digitsMatchBLeg: sequences(attributes.text('digitsMatchBLeg', sequencesRule)),
    sipHeaders: readSipHeaders(attributes),
    ...readDetection(attributes),
  } as const;
  attributes.end();
  const destinations = childrenOf(element, reading, destinationReaders);
  if (destinations.length === 0) {
    reading.refuse(element.line, '<Dial> must hold at least one <Number> or <User>');
  }
  if (destinations.length > maxDestinations) {
    reading.refuse(
      element.line,
      `<Dial> must hold at most ${maxDestinations} destinations, not ${destinations.length}`,
    );
  }
  return { ...dial, destinations };
};

const readNumber: ElementReader<DialDestination> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const sendDigits = attributes.text('sendDigits', digitsRule) ?? '';
  const callerId = attributes.text('callerId', callerIdRule);
  const sendOnPreanswer = attributes.flag('sendOnPreanswer', false);
  if (attributes.text('sendDigitsMode') !== null) {
    attributes.warn('sendDigitsMode is not followed: digits are sent as RFC 4733 events');
  }
  attributes.end();
  const body = bodyOf(element, reading);
  // Separators that people write in numbers.
  const to = body.replace(/[\s().-]/g, '');
  if (!isE164(to)) {
    reading.refuse(
      element.line,
      `<Number> must hold a phone number in E.164 format, such as +12025550100, not ${quoted(body)}`,
    );
  }
  return { kind: 'number', to, callerId, sendDigits, sendOnPreanswer, sipHeaders: {} };
};

const readUser: ElementReader<DialDestination> = (element, reading) => {
  const attributes = attributesOf(element, reading);
  const sendDigits = attributes.text('sendDigits', digitsRule) ?? '';
  const sipHeaders = readSipHeaders(attributes);
  const sendOnPreanswer = attributes.flag('sendOnPreanswer', false);
  const username = attributes.text('sipAuthUsername');
  if (attributes.text('sipAuthPassword') !== null || username !== null) {
    attributes.warn(
      'sipAuthUsername and sipAuthPassword are not used: endpoints of this platform ask for neither',
    );
  }
  attributes.end();
  const to = bodyOf(element, reading);
  if (!isSipUri(to)) {
    reading.refuse(
      element.line,
      `<User> must hold a SIP URI, such as sip:alice@example.com, not ${quoted(to)}`,
    );
  }
  return { kind: 'user', to, callerId: null, sendDigits, sendOnPreanswer, sipHeaders };
};

const destinationReaders: ReadonlyMap<string, ElementReader<DialDestination>> = new Map([
  ['Number', readNumber],
  ['User', readUser],
]);

/** The detection of answering machines on every phone of the Dial. */
function readDetection(attributes: Attributes): { readonly machineDetection?: MachineDetection } {
  const mode = attributes.oneOf('machineDetection', ['true', 'false', 'hangup'], 'false');
  const { minimum: min, maximum: max, default: byDefault } = machineDetectionTimes;
  const timeMs = attributes.integer('machineDetectionTime', { min, max, byDefault });
  const callback = attributes.request('machineDetectionUrl', 'machineDetectionMethod');
  return mode === 'false' ? {} : { machineDetection: { hangsUp: mode === 'hangup', timeMs, callback } };
}

/** `real` is ringback, which callers hear by default. */
function readDialMusic(attributes: Attributes): string | null {
  const value = attributes.text('dialMusic');
  if (value === null || /^(?:real|none)$/i.test(value))
    return value?.toLowerCase() === 'real' ? 'real' : null;
  return attributes.url('dialMusic');
}

function sequences(value: string | null): readonly string[] {
  return value === null ? [] : value.split(',').map((each) => each.trim());
}

function readSipHeaders(attributes: Attributes): SipHeaders {
  const value = attributes.text('sipHeaders', headersRule);
  if (value === null || !headersRule.pattern.test(value)) return {};
  const read = parseSipHeaders(value);
  if ('headers' in read) return read.headers;
  attributes.refuse('sipHeaders', read.allowed);
  return {};
}
