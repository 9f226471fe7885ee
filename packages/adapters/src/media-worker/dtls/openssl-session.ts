import type { DtlsKeys, DtlsSession, SrtpSuiteName } from '@jackfield/media';
import type { Pointer } from '../openssl.ts';
import { fingerprintOf } from './dtls-certificate.ts';
import type { DtlsFunctions } from './openssl-dtls.ts';

const SET_MTU = 17;
const GET_TIMEOUT = 73;
const HANDLE_TIMEOUT = 74;
/** BIO_CTRL_PENDING, BIO_C_SET_BUF_MEM_EOF_RETURN. */
const PENDING = 10;
const EOF_RETURN = 130;
const WANT_READ = 2;
const ZERO_RETURN = 6;

/** Fits every path of the Internet; browsers use the same size. */
const datagramBytes = 1200;
/** Longer than any datagram: what a browser sends has at most 1,500 bytes. */
const longestDatagram = 4096;
const recordHeaderBytes = 13;
const longestCertificate = 16_384;

/** RFC 5764 §4.1.2, RFC 7714 §14.2: the suite by the number of its profile, with the bytes of key and salt. */
const profiles: ReadonlyMap<number, readonly [SrtpSuiteName, number, number]> = new Map([
  [1, ['AES_CM_128_HMAC_SHA1_80', 16, 14]],
  [7, ['AEAD_AES_128_GCM', 16, 12]],
  [8, ['AEAD_AES_256_GCM', 32, 12]],
]);

/** RFC 5764 §4.2. */
const keyLabel = 'EXTRACTOR-dtls_srtp';

/** Hash functions of fingerprints in SDP (RFC 8122 §5), without broken ones. */
const hashes: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
]);

/** A DTLS session of OpenSSL over memory BIOs. */
export class OpensslSession implements DtlsSession {
  readonly #functions: DtlsFunctions;
  readonly #role: 'server' | 'client';
  readonly #input: Pointer;
  readonly #output: Pointer;
  readonly #closed: () => void;
  #session: Pointer | undefined;
  #state: DtlsSession['state'] = 'handshaking';
  problem: string | undefined;

  constructor(functions: DtlsFunctions, context: Pointer, role: 'server' | 'client', closed: () => void) {
    this.#functions = functions;
    this.#role = role;
    this.#closed = closed;
    const session = functions.sessionNew(context);
    const input = functions.bioNew(functions.memoryBio());
    const output = functions.bioNew(functions.memoryBio());
    if (session === null || input === null || output === null)
      throw new Error('OpenSSL has no memory for a session');
    this.#session = session;
    this.#input = input;
    this.#output = output;
    // An empty BIO means that the next datagram has not arrived, not that the stream has ended.
    for (const bio of [input, output]) functions.bioControl(bio, EOF_RETURN, -1, null);
    functions.setBios(session, input, output);
    functions.control(session, SET_MTU, datagramBytes, null);
    if (role === 'server') functions.accept(session);
    else {
      functions.connect(session);
      this.#advance(session);
    }
  }

  get state(): DtlsSession['state'] {
    return this.#state;
  }

  receive(bytes: Uint8Array, length: number): void {
    const session = this.#session;
    if (session === undefined || this.#state === 'failed') return;
    if (length < recordHeaderBytes || length > Math.min(bytes.length, longestDatagram)) return;
    if (this.#functions.bioWrite(this.#input, bytes, length) !== length) return;
    this.#advance(session);
  }

  take(): readonly Uint8Array[] {
    if (this.#session === undefined) return [];
    const pending = this.#functions.bioControl(this.#output, PENDING, 0, null);
    if (pending <= 0) return [];
    const flight = new Uint8Array(pending);
    const read = this.#functions.bioRead(this.#output, flight, pending);
    return datagramsOf(flight.subarray(0, Math.max(0, read)));
  }

  get resendInMs(): number | undefined {
    const session = this.#session;
    if (session === undefined || this.#state !== 'handshaking') return undefined;
    const left = new Uint8Array(16);
    if (this.#functions.control(session, GET_TIMEOUT, 0, left) !== 1) return undefined;
    const view = new DataView(left.buffer);
    return Number(view.getBigInt64(0, true)) * 1000 + Number(view.getBigInt64(8, true)) / 1000;
  }

  resend(): void {
    const session = this.#session;
    if (session === undefined || this.#state !== 'handshaking') return;
    if (this.#functions.control(session, HANDLE_TIMEOUT, 0, null) < 0) this.#fail('no answer');
  }

  fingerprint(hash: string): string | undefined {
    const session = this.#session;
    const name = hashes.get(hash.toLowerCase());
    if (session === undefined || name === undefined) return undefined;
    const functions = this.#functions;
    const certificate = functions.peerCertificate(session);
    if (certificate === null) return undefined;
    try {
      const length = functions.certificateBytes(certificate, null);
      if (length <= 0 || length > longestCertificate) return undefined;
      const { pointer, view, free } = functions.borrow(length);
      try {
        if (functions.certificateBytes(certificate, BigUint64Array.of(pointer)) !== length) return undefined;
        return fingerprintOf(view.slice(), name);
      } finally {
        free();
      }
    } finally {
      functions.certificateFree(certificate);
    }
  }

  keys(): DtlsKeys | undefined {
    const session = this.#session;
    if (session === undefined || this.#state !== 'connected') return undefined;
    const functions = this.#functions;
    const selected = functions.selectedSrtp(session);
    const profile = selected === null ? undefined : profiles.get(functions.numberOf(selected));
    if (profile === undefined) return undefined;
    const [suite, keyBytes, saltBytes] = profile;
    const material = new Uint8Array(2 * (keyBytes + saltBytes));
    const { length } = keyLabel;
    if (functions.exportKeys(session, material, material.length, keyLabel, length, null, 0, 0) !== 1)
      return undefined;
    // RFC 5764 §4.2: both keys, then both salts; the client's first.
    const ofSide = (side: number) => {
      const salts = 2 * keyBytes;
      return Uint8Array.of(
        ...material.subarray(side * keyBytes, (side + 1) * keyBytes),
        ...material.subarray(salts + side * saltBytes, salts + (side + 1) * saltBytes),
      );
    };
    const [client, server] = [ofSide(0), ofSide(1)];
    material.fill(0);
    return this.#role === 'server'
      ? { suite, sendKey: server, receiveKey: client }
      : { suite, sendKey: client, receiveKey: server };
  }

  close(): void {
    if (this.#session === undefined) return;
    this.#functions.sessionFree(this.#session);
    this.#session = undefined;
    if (this.#state === 'handshaking') this.#state = 'failed';
    this.#closed();
  }

  #advance(session: Pointer): void {
    const functions = this.#functions;
    if (this.#state === 'handshaking') {
      const result = functions.handshake(session);
      if (result === 1) {
        this.#state = 'connected';
        return;
      }
      if (functions.errorOf(session, result) !== WANT_READ) this.#fail(this.#reason());
    } else {
      // Handles a repeated last flight, and the end of the association. Application data is not part of DTLS-SRTP.
      const ignored = new Uint8Array(longestDatagram);
      const result = functions.read(session, ignored, ignored.length);
      if (result > 0) return;
      const error = functions.errorOf(session, result);
      if (error === ZERO_RETURN) this.#fail('the other side has closed the association');
      else if (error !== WANT_READ) this.#fail(this.#reason());
    }
    // The error queue belongs to the thread, and node:crypto reads it as well.
    functions.clearErrors();
  }

  #reason(): string {
    return this.#functions.reasonOf(this.#functions.lastError()) ?? 'unknown';
  }

  #fail(problem: string): void {
    this.#state = 'failed';
    this.problem = problem;
  }
}

/** Packs the records of a flight into datagrams: a memory BIO keeps no boundaries, but each record has its length. */
function datagramsOf(flight: Uint8Array): readonly Uint8Array[] {
  const datagrams: Uint8Array[] = [];
  let start = 0;
  let at = 0;
  while (at + recordHeaderBytes <= flight.length) {
    const end = at + recordHeaderBytes + ((flight[at + 11]! << 8) | flight[at + 12]!);
    if (end > flight.length) break;
    if (end - start > datagramBytes && at > start) {
      datagrams.push(flight.slice(start, at));
      start = at;
    }
    at = end;
  }
  if (at > start) datagrams.push(flight.slice(start, at));
  return datagrams;
}
