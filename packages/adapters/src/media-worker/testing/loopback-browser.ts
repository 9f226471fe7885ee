import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import {
  codecFor,
  createRtpHeader,
  createRtpSender,
  createSrtpCounters,
  createSrtpReceiver,
  createSrtpSender,
  type DtlsEndpoint,
  type DtlsSession,
  readRtpPacket,
  readStun,
  type SrtpReceiver,
  type SrtpSender,
  stunWriterBytes,
  writeCheck,
} from '@jackfield/media';
import { nodeCiphers } from '@jackfield/media/io';
import type { AgreedMedia, IceCredentials } from '@jackfield/ports';
import { openDtls } from '../dtls/open-dtls.ts';

const pcmu = codecFor('PCMU')!;

/** A path of a browser to the port of WebRTC. */
interface Path {
  send(bytes: Uint8Array): void;
  onPacket: (bytes: Uint8Array) => void;
  close(): void;
}

/** A phone in a browser on loopback: checks a path, shakes hands as the client, talks and listens by SRTP. */
export interface LoopbackBrowser {
  readonly fingerprint: string;
  /** Answers to its checks that were refusals or successes, by kind. */
  readonly answers: readonly string[];
  /** Datagrams of any kind that have arrived. */
  readonly arrived: number;
  /** Sends a check, and repeats it until it is answered; resolves with the answer, or with undefined after `waitMs`. */
  check(ice: IceCredentials, options?: { nominates?: boolean; waitMs?: number }): Promise<string | undefined>;
  /** Resolves when the handshake is over. */
  shakeHands(): Promise<void>;
  /** Moves to another port, as a browser does when its network changes. */
  move(): Promise<void>;
  /** Sends `frames` frames of its tone at once. */
  send(frames: number): void;
  /** Sends its tone every 20 ms. */
  talk(): void;
  /** Resolves with the next `frames` × 20 ms that arrive. */
  hear(frames: number): Promise<Int16Array>;
  sendRaw(bytes: Uint8Array): void;
  close(): void;
}

/** The certificate of the browsers of a test file, or the reason with which its tests are skipped. */
export async function browserDtls(): Promise<{ readonly dtls: DtlsEndpoint; readonly skip: false | string }> {
  const opened = await openDtls();
  return 'problem' in opened
    ? { dtls: undefined as unknown as DtlsEndpoint, skip: opened.problem }
    : { dtls: opened.endpoint, skip: false };
}

/** Our credentials of a leg. */
export function iceOf(name: string): IceCredentials {
  return { fragment: `fragment${name}`, password: `a0b1c2d3e4f5g6h7i8j9k0${name}` };
}

/** Opens a browser whose packets go to this port, over UDP or TCP (RFC 6544). */
export async function openBrowser(
  dtls: DtlsEndpoint,
  frequencyHz: number,
  port: number,
  transport: 'udp' | 'tcp' = 'udp',
  host: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<LoopbackBrowser> {
  const open = transport === 'udp' ? openUdp : openTcp;
  const browser = new Browser(dtls, frequencyHz, () => open(port, host));
  await browser.move();
  return browser;
}

/** The agreement with a browser. */
export function agreedWithBrowser(browser: LoopbackBrowser, ice: IceCredentials): AgreedMedia {
  return {
    address: '0.0.0.0',
    port: 9,
    codec: 'PCMU',
    payloadType: 0,
    telephoneEventPayloadType: 101,
    direction: 'sendrecv',
    ptimeMs: 20,
    protection: { by: 'dtls', fingerprints: [{ hash: 'sha-256', value: browser.fingerprint }], ice },
  };
}

class Browser implements LoopbackBrowser {
  readonly fingerprint: string;
  readonly answers: string[] = [];
  arrived = 0;
  readonly #openPath: () => Promise<Path>;
  readonly #dtls: DtlsEndpoint;
  readonly #hz: number;
  readonly #rtp = createRtpSender({ ssrc: 7, sequenceNumber: 1, timestamp: 1 });
  readonly #header = createRtpHeader();
  #paths: Path[] = [];
  #session: DtlsSession | undefined;
  #sender: SrtpSender | undefined;
  #receiver: SrtpReceiver | undefined;
  #timer: NodeJS.Timeout | undefined;
  #position = 0;
  #transactions = 0;
  #heard: number[] = [];
  #requested = 0;
  #onHeard: ((samples: Int16Array) => void) | undefined;
  #onAnswer: ((kind: string) => void) | undefined;
  #onKeys: (() => void) | undefined;

  constructor(dtls: DtlsEndpoint, hz: number, openPath: () => Promise<Path>) {
    this.#dtls = dtls;
    this.#hz = hz;
    this.fingerprint = dtls.fingerprint;
    this.#openPath = openPath;
  }

  async move(): Promise<void> {
    const path = await this.#openPath();
    path.onPacket = (bytes) => this.#receive(bytes);
    this.#paths.push(path);
  }

  async check(
    { fragment, password }: IceCredentials,
    { nominates = true, waitMs = 5000 } = {},
  ): Promise<string | undefined> {
    const key = nodeCiphers.hmacSha1(Buffer.from(password, 'latin1'));
    const bytes = new Uint8Array(stunWriterBytes);
    const check = {
      transaction: String(++this.#transactions).padStart(24, '0'),
      username: `${fragment}:them`,
      priority: 1,
      role: 'controlling',
      tieBreaker: '0123456789abcdef',
      useCandidate: nominates,
    } as const;
    const length = writeCheck(bytes, check, key);
    const answered = Promise.withResolvers<string | undefined>();
    this.#onAnswer = answered.resolve;
    const timer = setTimeout(() => answered.resolve(undefined), waitMs);
    const send = (): void => this.sendRaw(bytes.slice(0, length));
    send();
    // RFC 8489 §6.2.1: a request is repeated from 500 ms on; the first may precede the credentials that its leg has just got.
    const repeat = setInterval(send, 500);
    const kind = await answered.promise;
    clearInterval(repeat);
    clearTimeout(timer);
    return kind;
  }

  async shakeHands(): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#onKeys = done.resolve;
    this.#session = this.#dtls.open('client');
    this.#flush();
    await done.promise;
  }

  send(frames: number): void {
    const frame = new Int16Array(160);
    for (let n = 0; n < frames; n++) {
      for (let i = 0; i < 160; i++) {
        frame[i] = 8000 * Math.sin((2 * Math.PI * this.#hz * this.#position++) / 8000);
      }
      const length = this.#rtp.writeAudio(pcmu, 0, frame, 160);
      const packet = new Uint8Array(length + 32);
      packet.set(this.#rtp.packet.subarray(0, length));
      const size = this.#sender?.protect(packet, length) ?? length;
      this.sendRaw(packet.subarray(0, size));
    }
  }

  talk(): void {
    this.#timer = setInterval(() => this.send(1), 20);
  }

  hear(frames: number): Promise<Int16Array> {
    this.#heard = [];
    this.#requested = frames * 160;
    return new Promise((resolve) => {
      this.#onHeard = resolve;
    });
  }

  sendRaw(bytes: Uint8Array): void {
    this.#paths.at(-1)?.send(bytes.slice());
  }

  close(): void {
    clearInterval(this.#timer);
    this.#session?.close();
    for (const path of this.#paths) path.close();
    this.#paths = [];
  }

  #receive(bytes: Uint8Array): void {
    this.arrived++;
    const first = bytes[0]!;
    if (first <= 3) {
      const kind = readStun(bytes, bytes.length)?.kind ?? 'malformed';
      this.answers.push(kind);
      this.#onAnswer?.(kind);
    } else if (first <= 63) {
      this.#session?.receive(bytes, bytes.length);
      this.#flush();
    } else this.#listen(bytes);
  }

  #flush(): void {
    for (const datagram of this.#session?.take() ?? []) this.sendRaw(datagram);
    const keys = this.#session?.keys();
    if (keys === undefined || this.#onKeys === undefined) return;
    const { suite, sendKey, receiveKey } = keys;
    this.#sender = createSrtpSender(nodeCiphers, { suite, keyAndSalt: sendKey });
    this.#receiver = createSrtpReceiver(nodeCiphers, { suite, keyAndSalt: receiveKey }, createSrtpCounters());
    this.#onKeys();
    this.#onKeys = undefined;
  }

  #listen(bytes: Uint8Array): void {
    const plain = new Uint8Array(2048);
    const length = this.#receiver?.unprotect(bytes, bytes.length, plain) ?? -1;
    if (length < 0 || !readRtpPacket(plain, length, this.#header) || this.#header.payloadType !== 0) return;
    if (this.#onHeard === undefined) return;
    const samples = new Int16Array(this.#header.payloadLength);
    pcmu.decode(plain, this.#header.payloadOffset, this.#header.payloadLength, samples);
    this.#heard.push(...samples);
    if (this.#heard.length < this.#requested) return;
    this.#onHeard(Int16Array.from(this.#heard.slice(0, this.#requested)));
    this.#onHeard = undefined;
  }
}

async function openUdp(port: number, host: string): Promise<Path> {
  const socket = createSocket(host === '::1' ? 'udp6' : 'udp4');
  socket.bind(0, host);
  await once(socket, 'listening');
  const path: Path = {
    send: (bytes) => socket.send(bytes, port, host),
    onPacket() {},
    close: () => socket.close(),
  };
  socket.on('message', (bytes) => path.onPacket(bytes));
  return path;
}

async function openTcp(port: number, host: string): Promise<Path> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  const path: Path = {
    send(bytes) {
      const head = new Uint8Array([bytes.length >> 8, bytes.length & 255]);
      socket.write(Buffer.concat([head, bytes]));
    },
    onPacket() {},
    close: () => socket.destroy(),
  };
  let waiting = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (piece) => {
    waiting = Buffer.concat([waiting, piece]);
    while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
      const end = 2 + waiting.readUInt16BE(0);
      path.onPacket(Uint8Array.from(waiting.subarray(2, end)));
      waiting = waiting.subarray(end);
    }
  });
  return path;
}
