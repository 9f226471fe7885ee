import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate with its key, as DER. */
export interface DtlsCertificate {
  readonly certificate: Uint8Array;
  /** SEC1. */
  readonly key: Uint8Array;
  readonly fingerprint: string;
}

/** Object identifiers, encoded: ecdsa-with-SHA256, commonName. */
const ecdsaSha256 = Buffer.from('06082a8648ce3d040302', 'hex');
const commonName = Buffer.from('0603550403', 'hex');

const dayMs = 86_400_000;
const years = 10;

/**
 * Makes a self-signed P-256 certificate, new at each start. The other side compares only its fingerprint with the one in
 * SDP (RFC 5763 §5), so its name has no meaning.
 */
export function createDtlsCertificate(nowMs: number): DtlsCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('media')))));
  const algorithm = sequence(ecdsaSha256);
  const serial = randomBytes(8);
  // A positive number without a leading zero.
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    algorithm,
    name,
    sequence(time(nowMs - dayMs), time(nowMs + years * 365 * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, privateKey));
  const certificate = new Uint8Array(sequence(content, algorithm, signature));
  return {
    certificate,
    key: new Uint8Array(privateKey.export({ type: 'sec1', format: 'der' })),
    fingerprint: fingerprintOf(certificate, 'sha256'),
  };
}

/** The fingerprint in the form of SDP (RFC 8122 §5). */
export function fingerprintOf(certificate: Uint8Array, hash: string): string {
  return createHash(hash).update(certificate).digest('hex').toUpperCase().match(/../g)!.join(':');
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

/** UTCTime: two digits of the year. */
function time(ms: number): Buffer {
  const text = new Date(ms)
    .toISOString()
    .replaceAll(/[-:T]|\.\d+/g, '')
    .slice(2);
  return der(0x17, Buffer.from(text));
}
