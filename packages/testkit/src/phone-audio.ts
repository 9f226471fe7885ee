import {
  createDigitSender,
  createRtpHeader,
  createRtpSender,
  createSrtpCounters,
  createSrtpReceiver,
  createSrtpSender,
  pcmu,
  readRtpPacket,
  rtpHeaderBytes,
  type SrtpMaster,
  type SrtpReceiver,
  type SrtpSender,
} from '@jackfield/media';
import { nodeCiphers } from '@jackfield/media/io';
import type { Instant } from '@jackfield/ports';
import type { AgreedAudio } from '@jackfield/sdp';
import type { DatagramNetwork, NetworkAddress } from './simulated-network.ts';
import { frameSamples } from './tone-meter.ts';

/** A frame as a phone received it, before any jitter buffer. */
export interface HeardFrame {
  readonly at: Instant;
  readonly from: NetworkAddress;
  readonly sequenceNumber: number;
  readonly samples: Int16Array;
}

export interface PhoneAudioDeps {
  readonly network: DatagramNetwork;
  readonly at: NetworkAddress;
  readonly now: () => Instant;
  readonly random: () => number;
  /** The voice of the phone, sent in every frame while it says nothing else. */
  readonly voice: Int16Array;
}

/** Keys by their event code (RFC 4733 §3.2). */
const keys = '0123456789*#ABCD';
const pcmuPayloadType = 0; // RFC 3551 §6

/** The RTP side of one call of a simulated phone: one port, one voice, and all received audio. */
export class PhoneAudio {
  readonly heard: HeardFrame[] = [];
  /** Packets that were neither RTCP nor a frame of 20 ms PCMU. */
  otherPackets = 0;
  framesSent = 0;
  /** Keys that arrived by RFC 4733, each once. */
  readonly keysHeard: string[] = [];
  /** SRTP packets that were not for this phone, or were repeated. */
  readonly unprotected = createSrtpCounters();
  readonly #deps: PhoneAudioDeps;
  readonly #sender: ReturnType<typeof createRtpSender>;
  readonly #digits = createDigitSender({ clockRate: 8000 });
  readonly #payload = new Uint8Array(frameSamples);
  readonly #said = new Uint8Array(frameSamples);
  /** Sound that waits to be sent in place of the voice, and how much of it has gone. */
  #saying: Int16Array = new Int16Array(0);
  #saidUntil = 0;
  #keyAt: number | undefined;
  #isPressing = false;
  readonly #header = createRtpHeader();
  readonly #detach: () => void;
  #agreed: AgreedAudio | undefined;
  #sealing: { readonly key: string; readonly with: SrtpSender } | undefined;
  #opening: { readonly key: string; readonly with: SrtpReceiver } | undefined;
  readonly #plain = new Uint8Array(2048);

  constructor(deps: PhoneAudioDeps) {
    this.#deps = deps;
    const random = (bound: number) => Math.floor(deps.random() * bound);
    this.#sender = createRtpSender({
      ssrc: random(2 ** 32),
      sequenceNumber: random(2 ** 16),
      timestamp: random(2 ** 32),
    });
    pcmu.encode(deps.voice, frameSamples, this.#payload, 0);
    this.#detach = deps.network.attach(deps.at, (bytes, from) => this.#receive(bytes, from));
  }

  get isConnected(): boolean {
    return this.#agreed !== undefined;
  }

  /** The target of the phone's voice. */
  get remote(): NetworkAddress | undefined {
    return this.#agreed && { address: this.#agreed.remoteAddress, port: this.#agreed.remotePort };
  }

  /** Sends keys by RFC 4733, one after another, as soon as the other side accepts events. */
  press(digits: string): void {
    this.#digits.queue(digits);
    this.#isPressing = true;
  }

  /** Sends this sound, mono at 8 kHz, behind the sound that waits already; then the voice goes on. */
  say(samples: Int16Array): void {
    const waiting = this.#saying.subarray(this.#saidUntil);
    this.#saying = new Int16Array(waiting.length + samples.length);
    this.#saying.set(waiting);
    this.#saying.set(samples, waiting.length);
    this.#saidUntil = 0;
  }

  /** Whether sound or keys wait to be sent. */
  get isSaying(): boolean {
    return this.#saidUntil < this.#saying.length || this.#isPressing;
  }

  get isProtected(): boolean {
    return this.#sealing !== undefined;
  }

  connect(agreed: AgreedAudio): void {
    this.#agreed = agreed;
    const { crypto } = agreed;
    if (crypto === undefined) {
      this.#sealing = undefined;
      this.#opening = undefined;
      return;
    }
    const master = (key: string): SrtpMaster => ({
      suite: crypto.suite as SrtpMaster['suite'],
      keyAndSalt: new Uint8Array(Buffer.from(key, 'base64')),
    });
    const [sealing, opening] = [this.#sealing, this.#opening];
    const { sendKey, receiveKey } = crypto;
    if (sealing?.key !== sendKey) {
      this.#sealing = { key: sendKey, with: createSrtpSender(nodeCiphers, master(sendKey)) };
    }
    if (opening?.key !== receiveKey) {
      const receiver = createSrtpReceiver(nodeCiphers, master(receiveKey), this.unprotected, opening?.with);
      this.#opening = { key: receiveKey, with: receiver };
    }
  }

  /** Sends one frame of the voice when offer and answer allow it; otherwise its time passes. */
  speak(): void {
    const agreed = this.#agreed;
    if (agreed === undefined) return;
    if (agreed.direction !== 'sendrecv' && agreed.direction !== 'sendonly') {
      this.#sender.skip(frameSamples);
      return;
    }
    const size = this.#writeKey(agreed) ?? this.#writeVoice(agreed);
    const length = this.#sealing?.with.protect(this.#sender.packet, size) ?? size;
    const to = { address: agreed.remoteAddress, port: agreed.remotePort };
    this.#deps.network.send(this.#deps.at, to, this.#sender.packet.subarray(0, length));
    this.framesSent++;
  }

  /** Sends nothing for the time of so many frames; what waits to be said waits on. */
  pass(frames: number): void {
    if (frames > 0) this.#sender.skip(frames * frameSamples);
  }

  #writeVoice(agreed: AgreedAudio): number {
    return this.#sender.writePayload(agreed.payloadType, this.#nextPayload(), 0, frameSamples, frameSamples);
  }

  #nextPayload(): Uint8Array {
    if (this.#saidUntil >= this.#saying.length) return this.#payload;
    const frame = new Int16Array(frameSamples);
    frame.set(this.#saying.subarray(this.#saidUntil, this.#saidUntil + frameSamples));
    this.#saidUntil += frameSamples;
    pcmu.encode(frame, frameSamples, this.#said, 0);
    return this.#said;
  }

  /** During a key press the voice is not sent. */
  #writeKey({ telephoneEventPayloadType }: AgreedAudio): number | undefined {
    if (telephoneEventPayloadType === undefined) return undefined;
    const next = this.#digits.next(this.#sender.timestamp);
    this.#isPressing = next !== 'idle';
    if (next !== 'event') return undefined;
    const { report, eventTimestamp, marker } = this.#digits;
    const length = this.#sender.writeEvent(telephoneEventPayloadType, report, eventTimestamp, marker);
    this.#sender.skip(frameSamples);
    return length;
  }

  close(): void {
    this.#agreed = undefined;
    this.#detach();
  }

  #receive(received: Uint8Array, from: NetworkAddress): void {
    // RTCP shares the port (RFC 5761 §4).
    if (received.length > 1 && received[1]! >= 192 && received[1]! <= 223) return;
    const size = this.#opening?.with.unprotect(received, received.length, this.#plain) ?? received.length;
    if (size < 0) return;
    const bytes = this.#opening === undefined ? received : this.#plain.subarray(0, size);
    const header = this.#header;
    const isFrame =
      bytes.length >= rtpHeaderBytes &&
      readRtpPacket(bytes, bytes.length, header) &&
      header.payloadType === pcmuPayloadType &&
      header.payloadLength === frameSamples;
    if (!isFrame) {
      this.#hearKey(bytes);
      this.otherPackets++;
      return;
    }
    const samples = new Int16Array(frameSamples);
    pcmu.decode(bytes, header.payloadOffset, frameSamples, samples);
    this.heard.push({ at: this.#deps.now(), from, sequenceNumber: header.sequenceNumber, samples });
  }

  /** RFC 4733 §2.5: all packets of one key have its first timestamp. */
  #hearKey(bytes: Uint8Array): void {
    const { payloadType, payloadOffset, payloadLength, timestamp } = this.#header;
    if (payloadType !== this.#agreed?.telephoneEventPayloadType || payloadLength !== 4) return;
    const key = keys[bytes[payloadOffset]!];
    if (key === undefined || timestamp === this.#keyAt) return;
    this.#keyAt = timestamp;
    this.keysHeard.push(key);
  }
}
