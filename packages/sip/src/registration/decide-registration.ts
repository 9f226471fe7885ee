import { parseNameAddr } from '../message/name-addr.ts';
import { sameUri } from '../message/same-uri.ts';
import { parseDeltaSeconds } from '../message/tokens.ts';
import { parseSipUri } from '../message/uri.ts';
import type { Binding } from './binding.ts';
import { type RequestedContact, requestedContact } from './requested-contact.ts';

/** The parts of an authenticated REGISTER that decide it. */
export interface RegistrationRequest {
  /** All Contact values, e.g. `headers.all('Contact')`. */
  readonly contacts: readonly string[];
  readonly expiresHeader: string | undefined;
  readonly callId: string;
  readonly cseq: number;
  readonly userAgent: string;
  readonly flow: string;
  /** How the REGISTER came, stored with the contacts. */
  readonly transport?: string;
  readonly source?: string;
  /** Path values, stored with the contacts (RFC 3327 §5.3). */
  readonly path?: readonly string[];
  /** Whether the phone supports RFC 5626; otherwise `reg-id` is ignored. */
  readonly isOutbound?: boolean;
  /** GRUUs of an instance with this Call-ID, as Contact parameters, for a phone that requests them (RFC 5627 §5.2). */
  readonly gruusOf?: (instance: string, callId: string) => string;
}

/** Bounds of a registrar; expiries in seconds. */
export interface RegistrationLimits {
  readonly minExpires: number;
  readonly maxExpires: number;
  readonly defaultExpires: number;
  /**
   * A binding is stored for this many times the expiry that its phone was granted, so that most refreshes change nothing; default 1.
   * The binding of a vanished phone also stays that long.
   */
  readonly slack?: number;
  /** The most contacts of one address of record. */
  readonly maxContacts: number;
  /** The most characters of one Contact URI. */
  readonly contactLength: number;
}

/**
 * 200 with the new bindings and the Contact values of the response, or the status of a refusal, which changes no binding. The bindings are
 * the same array when nothing changed, or only an expiry within the slack.
 */
export type RegistrationDecision =
  | {
      readonly status: 200;
      readonly bindings: readonly Binding[];
      readonly contactHeaders: readonly string[];
      /** The request has bound a flow (RFC 5626 §6): the response requires `outbound`. */
      readonly bindsFlow: boolean;
    }
  | { readonly status: 400 | 403 | 500; readonly sentence: string }
  | { readonly status: 423; readonly sentence: string; readonly minExpires: number };

/** 60 s to 3,600 s, 3,600 s without an expiry in the request, ten contacts. */
export const DEFAULT_REGISTRATION_LIMITS: RegistrationLimits = {
  minExpires: 60,
  maxExpires: 3_600,
  defaultExpires: 3_600,
  maxContacts: 10,
  contactLength: 1_024,
};

const USER_AGENT_LENGTH = 256;

/** Decides a REGISTER by RFC 3261 §10.3 steps 6 to 8: all of its contacts take effect, or none. */
export function decideRegistration(
  request: RegistrationRequest,
  current: readonly Binding[],
  now: number,
  limits: RegistrationLimits = DEFAULT_REGISTRATION_LIMITS,
): RegistrationDecision {
  if (request.contacts.length === 0) return accepted(current, now, request);
  if (request.contacts.some((contact) => contact === '*')) return removeAll(request, current, now);
  if (request.contacts.length > limits.maxContacts) return tooMany(limits);
  const { path = [] } = request;
  if (path.join().length > limits.contactLength) return refused(400, 'The Path is too long.');
  if (!path.every(isRoute)) return refused(400, 'A Path is not a valid SIP address.');
  const live = current.filter((binding) => binding.expiresAt > now);
  const bound = [...live];
  const granted = (limits.slack ?? 1) === 1 ? undefined : new Map<Binding, number>();
  let flows = 0;
  for (const value of request.contacts) {
    const asked = requestedContact(value, request.expiresHeader, limits.defaultExpires);
    if (asked === undefined) return refused(400, 'A Contact is not a valid SIP address.');
    const requested = request.isOutbound ? asked : withoutFlow(asked);
    if (requested.regId !== undefined && requested.expires > 0) flows += 1;
    if (requested.uri.length > limits.contactLength) return refused(400, 'A Contact is too long.');
    if (requested.expires > 0 && requested.expires < limits.minExpires) return tooBrief(limits);
    const problem = bind({ bound, live, granted }, requested, request, now, limits);
    if (problem !== undefined) return problem;
  }
  // RFC 5626 §6: a REGISTER binds at most one flow.
  if (flows > 0 && request.contacts.length > 1)
    return refused(400, 'A REGISTER with reg-id must have one Contact.');
  if (bound.length > limits.maxContacts) return tooMany(limits);
  const isKept =
    bound.length === current.length && bound.every((binding, index) => binding === current[index]);
  return accepted(isKept ? current : bound, now, request, granted, flows > 0);
}

/** The bindings while one REGISTER is applied: as they are so far, and as they were before. */
interface Changes {
  readonly bound: Binding[];
  readonly live: readonly Binding[];
  /** Seconds granted to the phone, for bindings that are stored for longer (`slack`). */
  readonly granted: Map<Binding, number> | undefined;
}

/** Path values become Route values, so each must be a valid one. */
function isRoute(value: string): boolean {
  const address = parseNameAddr(value);
  return address !== undefined && parseSipUri(address.uri) !== undefined;
}

function withoutFlow({ regId: _, ...contact }: RequestedContact): RequestedContact {
  return contact;
}

/** Applies one contact. */
function bind(
  { bound, live, granted }: Changes,
  requested: RequestedContact,
  request: RegistrationRequest,
  now: number,
  limits: RegistrationLimits,
): RegistrationDecision | undefined {
  // RFC 5626 §6: instance and reg-id identify a flow, whatever its contact; the URI identifies any other binding.
  const isSame = (binding: Binding) =>
    requested.regId === undefined
      ? sameUri(binding.contact, requested.uri)
      : binding.regId === requested.regId && binding.instance === requested.instance;
  const before = live.find(isSame);
  if (before !== undefined && isOutOfOrder(request, before)) return outOfOrder();
  const index = bound.findIndex(isSame);
  if (requested.expires === 0) {
    if (index >= 0) bound.splice(index, 1);
    return undefined;
  }
  const expires = Math.min(requested.expires, limits.maxExpires);
  const { slack = 1 } = limits;
  const asked: Binding = {
    contact: requested.uri,
    flow: request.flow,
    q: requested.q,
    expiresAt: now + expires * slack * 1000,
    callId: request.callId,
    cseq: request.cseq,
    userAgent: request.userAgent.slice(0, USER_AGENT_LENGTH),
    registeredAt: before?.registeredAt ?? now,
    refreshedAt: now,
    ...(request.transport !== undefined && { transport: request.transport }),
    ...(request.source !== undefined && { source: request.source }),
    ...(request.path && request.path.length > 0 && { path: request.path }),
    ...(requested.instance !== undefined && { instance: requested.instance }),
    ...(requested.regId !== undefined && { regId: requested.regId }),
  };
  const mayStay = granted !== undefined && before !== undefined && before === bound[index];
  const binding = mayStay && covers(before, asked, now + expires * 1000) ? before : asked;
  granted?.set(binding, expires);
  if (index >= 0) bound[index] = binding;
  else bound.unshift(binding);
  dropPlainTwin(bound, binding);
  return undefined;
}

/** The members that every refresh changes. */
const moving = new Set<string>(['expiresAt', 'cseq', 'refreshedAt'] satisfies (keyof Binding)[]);

/** Whether a stored binding lasts at least until `until` and at most as long as `asked`, and is otherwise the same. */
function covers(stored: Binding, asked: Binding, until: number): boolean {
  if (stored.expiresAt < until || stored.expiresAt > asked.expiresAt) return false;
  const names = new Set([...Object.keys(stored), ...Object.keys(asked)]) as ReadonlySet<keyof Binding>;
  for (const name of names)
    if (!moving.has(name) && String(stored[name]) !== String(asked[name])) return false;
  return true;
}

/** Removes an earlier binding of the same contact without a flow: it is the same phone and must ring once (RFC 3261 §10.3 step 7). */
function dropPlainTwin(bound: Binding[], { contact, instance, regId }: Binding): void {
  if (regId === undefined) return;
  const twin = bound.findIndex(
    (other) =>
      other.regId === undefined &&
      (other.instance === undefined || other.instance === instance) &&
      sameUri(other.contact, contact),
  );
  if (twin >= 0) bound.splice(twin, 1);
}

// RFC 3261 §10.2.2: "*" comes alone and with Expires: 0, and removes every binding.
function removeAll(
  request: RegistrationRequest,
  current: readonly Binding[],
  now: number,
): RegistrationDecision {
  const isAlone = request.contacts.length === 1;
  if (!isAlone || request.expiresHeader === undefined || parseDeltaSeconds(request.expiresHeader) !== 0) {
    return refused(400, 'Contact "*" must come alone and with Expires: 0.');
  }
  for (const binding of current) {
    if (binding.expiresAt > now && isOutOfOrder(request, binding)) return outOfOrder();
  }
  return accepted(current.length === 0 ? current : [], now, request);
}

// RFC 3261 §10.3 step 7: within one Call-ID, only a higher CSeq may change a binding.
function isOutOfOrder(request: RegistrationRequest, binding: Binding): boolean {
  return binding.callId === request.callId && request.cseq <= binding.cseq;
}

function accepted(
  bindings: readonly Binding[],
  now: number,
  { gruusOf }: RegistrationRequest,
  granted?: ReadonlyMap<Binding, number>,
  bindsFlow = false,
): RegistrationDecision {
  const contactHeaders: string[] = [];
  for (const binding of bindings) {
    const { contact, expiresAt, q, instance, regId, callId } = binding;
    const seconds = granted?.get(binding) ?? Math.ceil((expiresAt - now) / 1000);
    if (seconds <= 0) continue;
    const own = instance === undefined ? '' : `;+sip.instance="${instance}"`;
    const flow = regId === undefined ? '' : `;reg-id=${regId}`;
    const gruus = instance === undefined ? '' : (gruusOf?.(instance, callId) ?? '');
    contactHeaders.push(`<${contact}>;expires=${seconds}${q < 1 ? `;q=${q}` : ''}${own}${flow}${gruus}`);
  }
  return { status: 200, bindings, contactHeaders, bindsFlow };
}

function refused(status: 400 | 403 | 500, sentence: string): RegistrationDecision {
  return { status, sentence };
}

function outOfOrder(): RegistrationDecision {
  return refused(500, 'A later REGISTER of the same Call-ID has already been served.');
}

function tooMany({ maxContacts }: RegistrationLimits): RegistrationDecision {
  return refused(403, `No more than ${maxContacts} contacts may be registered.`);
}

// RFC 3261 §10.3 step 7: 423 names the shortest allowed expiry.
function tooBrief({ minExpires }: RegistrationLimits): RegistrationDecision {
  return { status: 423, sentence: `Contacts are registered for ${minExpires} seconds at least.`, minExpires };
}
