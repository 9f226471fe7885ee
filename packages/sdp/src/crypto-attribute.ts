/** One `a=crypto` line: a suite and the key with which its writer sends (RFC 4568 §4). */
export interface CryptoAttribute {
  /** Identifies the line: an answer repeats the tag of its chosen line. */
  readonly tag: number;
  /** E.g. AES_CM_128_HMAC_SHA1_80; upper case. */
  readonly suite: string;
  /** Master key and salt in base64; empty if the line needs a feature that we lack. */
  readonly keyAndSalt: string;
}

/** Our key for one suite: master key and salt in base64. */
export type CryptoKey = Omit<CryptoAttribute, 'tag'>;

/** Bytes of master key and salt (RFC 4568 §6.2, RFC 6188 §4, RFC 7714 §14.1). */
const keyAndSaltBytes: ReadonlyMap<string, number> = new Map([
  ['AES_CM_128_HMAC_SHA1_80', 30],
  ['AES_CM_128_HMAC_SHA1_32', 30],
  ['AES_256_CM_HMAC_SHA1_80', 46],
  ['AES_256_CM_HMAC_SHA1_32', 46],
  ['AEAD_AES_128_GCM', 28],
  ['AEAD_AES_256_GCM', 44],
]);

const line = /^a=crypto:(\d{1,9}) +(\w{1,64}) +(\S+)(?: +(\S.*)?)?$/i;
const inlineKey = /^inline:([A-Za-z0-9+/]{1,128})={0,2}(?:\|(?:2\^(\d{1,3})|(\d{1,20})))?$/i;

/** The packets that one master key may protect (RFC 3711 §9.2), as a power of two. */
const mostPackets = 48;

/**
 * Parses an attribute line; undefined when it is not a crypto line. Lines with several master keys, with an MKI, or with session
 * parameters other than the size of the replay window get no key: we cannot fulfil them (RFC 4568 §6.3).
 */
export function parseCrypto(text: string): CryptoAttribute | undefined {
  const match = line.exec(text);
  if (match === null) return undefined;
  const suite = match[2]!.toUpperCase();
  const key = inlineKey.exec(match[3]!);
  const isUsable =
    key !== null &&
    bytesOf(key[1]!) === keyAndSaltBytes.get(suite) &&
    isLifetime(key[2], key[3]) &&
    (match[4] ?? '').split(/ +/).every((parameter) => parameter === '' || /^(?:-|WSH=\d)/i.test(parameter));
  return { tag: Number(match[1]), suite, keyAndSalt: isUsable ? padded(key[1]!) : '' };
}

/** Lines of our offer: a key for each suite, the tags counted from 1 (RFC 4568 §5.1.1). */
export function offeredCrypto(keys: readonly CryptoKey[]): readonly CryptoAttribute[] {
  return keys.map((key, index) => ({ tag: index + 1, ...key }));
}

/** The first line of an offer that we have a key for, and our answer to it: its tag, our key (RFC 4568 §5.1.2). */
export function chooseCrypto(
  offered: readonly CryptoAttribute[],
  keys: readonly CryptoKey[],
): { readonly theirs: CryptoAttribute; readonly ours: CryptoAttribute } | undefined {
  for (const theirs of offered) {
    const key = keys.find(({ suite }) => suite === theirs.suite);
    if (key !== undefined && theirs.keyAndSalt !== '') return { theirs, ours: { ...key, tag: theirs.tag } };
  }
  return undefined;
}

/** The SRTP protection of a stream: both keys in base64. */
export interface AgreedCrypto {
  readonly suite: string;
  readonly sendKey: string;
  readonly receiveKey: string;
}

/**
 * Our line that an answer chose, by tag and suite (RFC 4568 §5.1.3). Undefined without a crypto line; a problem when its line is
 * unusable.
 */
export function takenCrypto(
  ours: readonly CryptoAttribute[],
  theirs: readonly CryptoAttribute[],
): AgreedCrypto | 'problem' | undefined {
  const [answer] = theirs;
  if (answer === undefined) return undefined;
  const own = ours.find(({ tag, suite }) => tag === answer.tag && suite === answer.suite);
  if (own === undefined || answer.keyAndSalt === '') return 'problem';
  return { suite: own.suite, sendKey: own.keyAndSalt, receiveKey: answer.keyAndSalt };
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

function padded(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
}

function isLifetime(power: string | undefined, packets: string | undefined): boolean {
  if (power !== undefined) return Number(power) <= mostPackets;
  return packets === undefined || (Number(packets) > 0 && Number(packets) <= 2 ** mostPackets);
}
