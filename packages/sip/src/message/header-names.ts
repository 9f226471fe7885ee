/** How the stack compares, prints and splits a header field. */
export interface HeaderName {
  /** Lower-case long form, the key of comparisons. */
  readonly key: string;
  /** The printed spelling. */
  readonly label: string;
  /** Whether one field may carry several values separated by commas (RFC 3261 §7.3.1). */
  readonly isList: boolean;
  /** A bit for the fields that the parser counts, 0 for the rest. */
  readonly bit: number;
}

/** Bits of the fields that responses and matching need (RFC 3261 §8.1.1), and of other counted fields. */
export const VIA = 1;
export const FROM = 2;
export const TO = 4;
export const CALL_ID = 8;
export const CSEQ = 16;
export const CONTENT_LENGTH = 32;
export const MAX_FORWARDS = 64;
const CONTENT_TYPE = 128;
const EXPIRES = 256;
const REFER_TO = 512;
const SESSION_EXPIRES = 1024;
const MIN_SE = 2048;
const RACK = 4096;

/** The fields that every message must have; Max-Forwards is not among them because RFC 2543 phones omit it. */
export const MANDATORY = VIA | FROM | TO | CALL_ID | CSEQ;

/** Counted fields that may appear once only (RFC 3261 §20, RFC 4475 §3.3.8, RFC 3515 §2.4.2, RFC 4028 §4, RFC 3262 §7.2). */
export const SINGLE =
  FROM |
  TO |
  CALL_ID |
  CSEQ |
  CONTENT_LENGTH |
  MAX_FORWARDS |
  CONTENT_TYPE |
  EXPIRES |
  REFER_TO |
  SESSION_EXPIRES |
  MIN_SE |
  RACK;

/** Compact forms of RFC 3261 §7.3.3 and of the extensions registered with IANA. */
const COMPACT: Readonly<Record<string, string>> = {
  a: 'Accept-Contact',
  b: 'Referred-By',
  c: 'Content-Type',
  d: 'Request-Disposition',
  e: 'Content-Encoding',
  f: 'From',
  i: 'Call-ID',
  j: 'Reject-Contact',
  k: 'Supported',
  l: 'Content-Length',
  m: 'Contact',
  n: 'Identity-Info',
  o: 'Event',
  r: 'Refer-To',
  s: 'Subject',
  t: 'To',
  u: 'Allow-Events',
  v: 'Via',
  x: 'Session-Expires',
  y: 'Identity',
};

// Authorization, the challenges and Date carry commas inside one value, so they are not lists (RFC 3261 §7.3.1).
const LISTS = [
  'Accept',
  'Accept-Contact',
  'Accept-Encoding',
  'Accept-Language',
  'Alert-Info',
  'Allow',
  'Allow-Events',
  'Call-Info',
  'Contact',
  'Content-Encoding',
  'Content-Language',
  'Diversion',
  'Error-Info',
  'History-Info',
  'In-Reply-To',
  'P-Asserted-Identity',
  'P-Preferred-Identity',
  'Path',
  'Proxy-Require',
  'Reason',
  'Record-Route',
  'Reject-Contact',
  'Request-Disposition',
  'Require',
  'Route',
  'Security-Client',
  'Security-Server',
  'Security-Verify',
  'Service-Route',
  'Supported',
  'Unsupported',
  'Via',
  'Warning',
];

const OTHERS = [
  'Authentication-Info',
  'Authorization',
  'CSeq',
  'Call-ID',
  'Content-Disposition',
  'Content-Length',
  'Content-Type',
  'Date',
  'Event',
  'Expires',
  'From',
  'Identity',
  'Identity-Info',
  'MIME-Version',
  'Max-Forwards',
  'Min-Expires',
  'Min-SE',
  'Organization',
  'Priority',
  'Privacy',
  'Proxy-Authenticate',
  'Proxy-Authorization',
  'RAck',
  'RSeq',
  'Refer-To',
  'Referred-By',
  'Replaces',
  'Reply-To',
  'Retry-After',
  'Server',
  'Session-Expires',
  'Subject',
  'Subscription-State',
  'Timestamp',
  'To',
  'User-Agent',
  'WWW-Authenticate',
];

const BITS: Readonly<Record<string, number>> = {
  Via: VIA,
  From: FROM,
  To: TO,
  'Call-ID': CALL_ID,
  CSeq: CSEQ,
  'Content-Length': CONTENT_LENGTH,
  'Max-Forwards': MAX_FORWARDS,
  'Content-Type': CONTENT_TYPE,
  Expires: EXPIRES,
  'Refer-To': REFER_TO,
  'Session-Expires': SESSION_EXPIRES,
  'Min-SE': MIN_SE,
  RAck: RACK,
};

const SHORTEST: ReadonlyMap<string, string> = new Map(
  Object.entries(COMPACT).map(([form, label]) => [label, form]),
);

/** The compact form of a header field (RFC 3261 §7.3.3), or the label itself where there is none. */
export function compactLabel(label: string): string {
  return SHORTEST.get(label) ?? label;
}

const KNOWN: ReadonlyMap<string, HeaderName> = knownNames();

/** The header field of a spelling, in any case or form; an unknown name is its own field. */
export function headerName(spelling: string): HeaderName {
  // Common spellings are keys of the table, so most messages need no case conversion.
  return KNOWN.get(spelling) ?? foldedName(spelling);
}

function foldedName(spelling: string): HeaderName {
  const key = spelling.toLowerCase();
  return KNOWN.get(key) ?? { key, label: spelling, isList: false, bit: 0 };
}

function knownNames(): ReadonlyMap<string, HeaderName> {
  const known = new Map<string, HeaderName>();
  const add = (label: string, isList: boolean): void => {
    const name = { key: label.toLowerCase(), label, isList, bit: BITS[label] ?? 0 };
    known.set(label, name);
    known.set(name.key, name);
  };
  for (const label of LISTS) add(label, true);
  for (const label of OTHERS) add(label, false);
  for (const [form, label] of Object.entries(COMPACT)) {
    const name = known.get(label);
    if (name === undefined) throw new Error(`the compact form ${form} names no known header`);
    known.set(form, name);
    known.set(form.toUpperCase(), name);
  }
  return known;
}
