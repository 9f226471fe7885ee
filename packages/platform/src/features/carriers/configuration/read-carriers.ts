import { isHost, isNetwork, isSipUri } from '../../../kernel/operator-addresses.ts';
import { type Entry, entryOf, readAmount, readDocument, shown } from '../../../kernel/operator-entry.ts';
import { prefixShape, readPrefixes } from '../../../kernel/read-prefixes.ts';
import type { CallerIdRule, Carrier, CarrierAccount, CarrierCaps } from '../domain/carrier.ts';

export type ReadCarriers =
  | { readonly ok: true; readonly carriers: readonly Carrier[]; readonly accounts: readonly CarrierAccount[] }
  /** One sentence for each mistake, with the entry; passwords are in none of them. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** No operator has more. */
const maxCarriers = 200;
const maxPrefixes = 50_000;
const maxAddresses = 200;

const number = /^\+[1-9][0-9]{6,14}$/;

/** Reads the operator's document and reports every mistake, not only the first. */
export function readCarriers(text: string): ReadCarriers {
  const problems: string[] = [];
  const document = readDocument(text, 'the list of carriers', problems);
  if (document === undefined) return { ok: false, problems };
  const root = entryOf(document, '', ['carriers'], problems);
  const listed = root?.list('carriers', maxCarriers) ?? [];
  const carriers: Carrier[] = [];
  const accounts: CarrierAccount[] = [];
  for (const [index, each] of listed.entries()) {
    const entry = entryOf(each, `carriers[${index}]`, fields, problems);
    if (entry === undefined) continue;
    const carrier = readCarrier(entry);
    if (carriers.some(({ name }) => name === carrier.name)) {
      entry.wrong('name', `must be another one for each carrier; ${shown(carrier.name)} is there twice`);
    }
    carriers.push(carrier);
    const account = readAccount(entry, carrier.name);
    if (account !== undefined) accounts.push(account);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, carriers, accounts };
}

const fields = [
  'name',
  'host',
  'port',
  'transport',
  'username',
  'password',
  'realm',
  'registration',
  'prefixes',
  'caller_id',
  'caps',
  'probe_seconds',
  'ringing_within_seconds',
  'addresses',
];

function readCarrier(entry: Entry): Carrier {
  return {
    name: entry.text('name', /^[a-z0-9][a-z0-9-]{0,39}$/, 'up to 40 small letters, digits and hyphens') ?? '',
    host: entry.text('host', { test: isHost }, 'a host name or an IP address (IPv6 in brackets)') ?? '',
    port: entry.optionalInteger('port', 1, 65_535),
    transport: entry.oneOf('transport', ['udp', 'tcp', 'tls'], 'udp'),
    registration: readRegistration(entry),
    prefixes: readPrefixes(entry, [], () => ({})),
    callerId: readCallerId(entry),
    caps: readCaps(entry),
    probeSeconds: entry.optionalInteger('probe_seconds', 0, 3600) ?? 30,
    ringingWithinSeconds: entry.optionalInteger('ringing_within_seconds', 1, 120) ?? 8,
    addresses: entry.has('addresses')
      ? entry.texts(
          'addresses',
          maxAddresses,
          { test: isNetwork },
          'an IP address, or a network such as 192.0.2.0/24, at least /8 and for IPv6 /16',
        )
      : [],
  };
}

function readAccount(entry: Entry, carrier: string): CarrierAccount | undefined {
  if (!entry.has('username') && !entry.has('password')) {
    if (entry.has('realm')) entry.wrong('realm', 'goes with a username and a password');
    return undefined;
  }
  const username = entry.text('username', /^[^\p{Cc}]{1,128}$/u, 'a text of up to 128 characters');
  const password = entry.secret('password', /^[^\p{Cc}]{1,256}$/u, 'a text of up to 256 characters');
  const realm = entry.has('realm')
    ? entry.text('realm', /^[^\p{Cc}]{1,128}$/u, 'a text of up to 128 characters')
    : undefined;
  return username === undefined || password === undefined
    ? undefined
    : { carrier, username, password, realm };
}

function readRegistration(entry: Entry): Carrier['registration'] {
  const registration = entry.object('registration', ['aor', 'expires']);
  if (registration === undefined) return undefined;
  if (!entry.has('username')) entry.wrong('registration', 'needs a username and a password');
  const aor = registration.text('aor', { test: isSipUri }, 'a SIP URI such as sip:me@sip.example.com') ?? '';
  return { aor, expiresSeconds: registration.optionalInteger('expires', 30, 86_400) ?? 3600 };
}

function readCallerId(entry: Entry): CallerIdRule {
  const found = entry.object('caller_id', ['rule', 'number', 'prefixes']);
  if (found === undefined) return { rule: 'keep' };
  const rule = found.oneOf('rule', ['keep', 'replace', 'allow'], undefined);
  const readNumber = () => found.text('number', number, 'a number in E.164 with +');
  switch (rule) {
    case 'replace':
      return { rule, number: readNumber() ?? '' };
    case 'allow': {
      const prefixes = found.texts(
        'prefixes',
        maxPrefixes,
        prefixShape,
        'leading digits of a number without +',
      );
      return { rule, prefixes, number: found.has('number') ? readNumber() : undefined };
    }
    default:
      for (const name of ['number', 'prefixes']) {
        if (found.has(name)) found.wrong(name, 'means nothing where the rule is "keep"');
      }
      return { rule: 'keep' };
  }
}

function readCaps(entry: Entry): CarrierCaps {
  const none: CarrierCaps = {
    callsPerSecond: undefined,
    concurrentCalls: undefined,
    spendPerHour: undefined,
  };
  const names = ['calls_per_second', 'concurrent_calls', 'spend_per_hour'];
  const caps = entry.object('caps', names);
  if (caps === undefined || !names.some((name) => caps.has(name))) {
    entry.wrong('caps', `must have at least one of ${names.join(', ')}: no carrier is called without a cap`);
    return none;
  }
  return {
    callsPerSecond: caps.optionalNumber('calls_per_second', 0.01, 10_000),
    concurrentCalls: caps.optionalInteger('concurrent_calls', 1, 100_000),
    spendPerHour: caps.has('spend_per_hour') ? readAmount(caps, 'spend_per_hour') : undefined,
  };
}
