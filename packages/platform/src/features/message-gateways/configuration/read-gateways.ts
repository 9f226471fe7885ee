import { isHost } from '../../../kernel/operator-addresses.ts';
import { type Entry, entryOf, readAmount, readDocument, shown } from '../../../kernel/operator-entry.ts';
import { readPrefixes } from '../../../kernel/read-prefixes.ts';
import type {
  GatewayAccess,
  HttpAccess,
  MessageGateway,
  ReceiptFields,
  SmppAccess,
} from '../domain/gateway.ts';

export type ReadGateways =
  | {
      readonly ok: true;
      readonly gateways: readonly MessageGateway[];
      readonly accesses: readonly GatewayAccess[];
    }
  /** One sentence for each mistake, with the entry and without passwords. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Far above the list of any operator. */
const maxGateways = 100;
const maxHeaders = 50;

const gatewayName = /^[a-z0-9][a-z0-9-]{0,39}$/;
const shortText = /^[^\p{Cc}]{0,128}$/u;
const secretText = /^[^\p{Cc}]{1,512}$/u;
const field = /^[^\s\p{Cc}]{1,64}$/u;
/** RFC 9110 §5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** RFC 9110 §5.5, sent as ISO 8859-1. */
const headerValue = /^[\x20-\x7e\xa0-\xff]{1,512}$/;
const placeholder = /\{\{[a-z]{1,20}\}\}/g;
const longestUrl = 2048;

const shared = ['name', 'protocol', 'prefixes', 'caps'];
const fields = {
  smpp: [...shared, 'host', 'port', 'tls', 'ca_file', 'system_id', 'password', 'system_type', 'window'],
  http: [...shared, 'url', 'method', 'headers', 'body', 'message_path', 'receipts'],
} as const;

/** Reads the operator's document; reports all mistakes, not only the first. */
export function readGateways(text: string): ReadGateways {
  const problems: string[] = [];
  const document = readDocument(text, 'the list of gateways', problems);
  if (document === undefined) return { ok: false, problems };
  const gateways: MessageGateway[] = [];
  const accesses: GatewayAccess[] = [];
  const listed = entryOf(document, '', ['gateways'], problems)?.list('gateways', maxGateways) ?? [];
  for (const [index, each] of listed.entries()) {
    const protocol = protocolOf(each);
    const entry = entryOf(each, `gateways[${index}]`, fields[protocol ?? 'http'], problems);
    if (entry === undefined) continue;
    if (protocol === undefined) {
      entry.wrong('protocol', 'must be "smpp" or "http"');
      continue;
    }
    const name = entry.text('name', gatewayName, 'up to 40 small letters, digits and hyphens') ?? '';
    if (gateways.some((known) => known.name === name)) {
      entry.wrong('name', `must be another one for each gateway; ${shown(name)} occurs twice`);
    }
    const gateway = readGateway(entry, name);
    gateways.push(gateway);
    accesses.push(protocol === 'smpp' ? readSmpp(entry, name) : readHttp(entry, name));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, gateways, accesses };
}

function protocolOf(value: unknown): 'smpp' | 'http' | undefined {
  const protocol = (value as { readonly protocol?: unknown } | null)?.protocol;
  return protocol === 'smpp' || protocol === 'http' ? protocol : undefined;
}

function readGateway(entry: Entry, name: string): MessageGateway {
  const prefixes = readPrefixes(entry, ['price'], (found) => ({
    price: found.has('price') ? readAmount(found, 'price') : undefined,
  }));
  const caps = entry.object('caps', ['messages_per_second', 'spend_per_hour']);
  const spendPerHour = caps?.has('spend_per_hour') ? readAmount(caps, 'spend_per_hour') : undefined;
  if (spendPerHour !== undefined) {
    for (const { prefix, price } of prefixes) {
      if (price !== undefined) continue;
      entry.wrong('caps', `cannot hold a spend per hour: the prefix ${shown(prefix)} has no price`);
    }
  }
  return {
    name,
    prefixes,
    caps: {
      messagesPerSecond: caps?.optionalNumber('messages_per_second', 0.01, 10_000),
      spendPerHour,
    },
  };
}

function readSmpp(entry: Entry, name: string): SmppAccess {
  return {
    protocol: 'smpp',
    name,
    // Sockets have no brackets.
    host: (
      entry.text('host', { test: isHost }, 'a host name or an IP address (IPv6 in brackets)') ?? ''
    ).replace(/^\[|\]$/g, ''),
    port: entry.optionalInteger('port', 1, 65_535) ?? 2775,
    tls: entry.flag('tls', false),
    caFile: entry.has('ca_file')
      ? entry.text('ca_file', /^[^\p{Cc}]{1,1024}$/u, 'the path of a file')
      : undefined,
    // SMPP 3.4 §4.1.1: 15, 8 and 12 characters.
    systemId: entry.text('system_id', /^[\x20-\x7e]{1,15}$/, 'up to 15 characters') ?? '',
    password: entry.secret('password', /^[\x20-\x7e]{1,8}$/, 'a text of up to 8 characters') ?? '',
    systemType: entry.has('system_type')
      ? (entry.text('system_type', /^[\x20-\x7e]{0,12}$/, 'up to 12 characters') ?? '')
      : '',
    window: entry.optionalInteger('window', 1, 1000) ?? 10,
  };
}

function readHttp(entry: Entry, name: string): HttpAccess {
  const method = entry.oneOf('method', ['GET', 'POST', 'PUT'], 'POST');
  return {
    protocol: 'http',
    name,
    url: entry.text('url', { test: isRequestUrl }, 'an http or https URL without a username') ?? '',
    method,
    headers: readHeaders(entry),
    body: entry.has('body')
      ? entry.secret('body', /^[\s\S]{0,16384}$/, 'a text of up to 16,384 characters')
      : undefined,
    messagePath: entry.has('message_path')
      ? (entry.text('message_path', shortText, 'names joined by dots, such as messages.0.id') ?? '')
      : '',
    receipts: readReceipts(entry),
  };
}

/** As it is when its placeholders are filled in. fetch refuses a username in it. */
function isRequestUrl(template: string): boolean {
  if (template.length > longestUrl || !/^https?:\/\/\S+$/.test(template)) return false;
  const url = URL.parse(template.replace(placeholder, '1'));
  return url !== null && url.username === '' && url.password === '';
}

function readHeaders(entry: Entry): Readonly<Record<string, string>> {
  return readTexts(entry, 'headers', maxHeaders, (headers, name) => {
    if (!headerName.test(name)) headers.wrong(name.slice(0, 64), 'is no name of a header');
    return headers.secret(name, headerValue, 'a text of up to 512 characters of ISO 8859-1');
  });
}

function readReceipts(entry: Entry): ReceiptFields | undefined {
  const names = ['message_field', 'status_field', 'error_field', 'statuses', 'secret'];
  const found = entry.object('receipts', names);
  if (found === undefined) return undefined;
  const readField = (name: string) => found.text(name, field, 'the name of a field') ?? '';
  const words = new Set<string>();
  const statuses = readTexts(found, 'statuses', 200, (each, word) => {
    if (words.has(word.toLowerCase())) each.wrong(word, 'is there twice: capital letters make no difference');
    words.add(word.toLowerCase());
    return each.text(word, /^(?:delivered|undelivered|failed)$/, '"delivered", "undelivered" or "failed"');
  });
  const secret = found.object('secret', ['field', 'value']);
  if (secret === undefined) {
    found.wrong('secret', 'must be an object with field and value: it authenticates receipts');
  }
  return {
    messageField: readField('message_field'),
    statusField: readField('status_field'),
    ...(found.has('error_field') ? { errorField: readField('error_field') } : {}),
    statuses: Object.fromEntries(
      Object.entries(statuses).map(([word, status]) => [word.toLowerCase(), status]),
    ) as ReceiptFields['statuses'],
    secret: {
      field: secret?.text('field', field, 'the name of a field') ?? '',
      value: secret?.secret('value', secretText, 'a text of up to 512 characters') ?? '',
    },
  };
}

/** An object whose names are the operator's own. */
function readTexts(
  entry: Entry,
  name: string,
  most: number,
  read: (entry: Entry, name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const value = entry.value(name);
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (names.length > most) {
    entry.wrong(name, `must have at most ${most} entries, not ${names.length}`);
    return {};
  }
  const found = entry.object(name, names);
  if (found === undefined) return {};
  return Object.fromEntries(names.map((each) => [each, read(found, each) ?? '']));
}
