import { hash } from 'node:crypto';
import type { Clock, Instant } from '@jackfield/ports';
import type { CodecCapability } from '@jackfield/sdp';
import { createUserAgent, type IncomingInvite, type UserAgent, type UserAgentCensus } from '@jackfield/sip';
import type { Transports } from '@jackfield/sip/transport';
import { PhoneAudio } from './phone-audio.ts';
import { PhoneCall } from './phone-call.ts';
import type { DatagramNetwork, NetworkAddress } from './simulated-network.ts';
import { flowIdOf, openSimulatedTransports, simulatedTlsPort } from './simulated-transports.ts';
import { toneFrame } from './tone-meter.ts';

/** The phone's reaction to an INVITE. */
export type PhoneBehaviour =
  /** `early`: a 183 with the answer, so that its voice is audible while it rings. */
  | { readonly does: 'answer'; readonly ringMs?: number; readonly early?: boolean }
  | {
      readonly does: 'reject';
      readonly status: number;
      readonly headers?: readonly (readonly [name: string, value: string])[];
    }
  /** Sends 180, and nothing more until the caller gives up. */
  | { readonly does: 'ring' }
  /** Sends no response. */
  | { readonly does: 'nothing' };

export interface SimulatedPhoneOptions {
  readonly clock: Clock;
  readonly network: DatagramNetwork;
  readonly address: string;
  readonly registrar: NetworkAddress;
  readonly domain: string;
  readonly username: string;
  readonly password: string;
  readonly toneHz: number;
  /** −22 dB by default: ten such voices do not reach the limiter. */
  readonly toneDb?: number;
  /** The port of its signalling: 5060, and 5061 over TLS, when absent. */
  readonly port?: number;
  /** Signals over simulated TLS, and uses SRTP where the other side does. */
  readonly isSecure?: boolean;
  readonly random: () => number;
  /** The next port for audio; from 20,000 up when absent. */
  readonly rtpPort?: () => number;
}

/** A telephone system's trunk for outgoing calls, and the caller. */
export interface TrunkOfPhone {
  readonly domain: string;
  readonly username: string;
  readonly password: string;
  readonly from: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

const firstRtpPort = 20_000;
const frameMs = 20;
/** So many frames may come late: a jitter buffer holds them. */
const framesSentLate = 2;

/** A phone: the real user agent over the simulated network, a voice of one tone, and a record of all received audio. */
export class SimulatedPhone {
  readonly username: string;
  readonly toneHz: number;
  readonly calls: PhoneCall[] = [];
  /** A function decides about each call anew. */
  behaviour: PhoneBehaviour | (() => PhoneBehaviour) = { does: 'answer' };
  /** What the next call offers and accepts; PCMU and PCMA when undefined. */
  codecs: () => readonly CodecCapability[] | undefined = () => undefined;
  /** The last REGISTER: its final status, or why there was none; undefined while it is pending. */
  registration: number | 'timeout' | 'transport-failed' | undefined;
  /** The status of its answer to a request outside of a call, by method. */
  answers: (method: string) => number = (method) => (method === 'OPTIONS' ? 200 : 405);
  /** Methods of the requests outside of calls that reached the phone, without retransmissions. */
  readonly requests: string[] = [];
  /** INVITEs that reached the phone, without retransmissions. */
  invites = 0;
  /** The Reason of each CANCEL that reached the phone (RFC 3326), empty without one. */
  readonly cancelReasons: string[] = [];
  /** Where it sends its requests outside of calls. */
  registrar: NetworkAddress;
  readonly #options: SimulatedPhoneOptions;
  readonly #userAgent: UserAgent;
  readonly #transports: Transports;
  readonly #voice: Int16Array;
  readonly #callId: string;
  #cseq = 0;
  #nextPort = firstRtpPort;
  #cancelTick: (() => void) | undefined;
  #isOff = false;

  constructor(options: SimulatedPhoneOptions) {
    const { clock, network, address, random } = options;
    this.#options = options;
    this.registrar = options.registrar;
    const at = this.signalsAt;
    this.username = options.username;
    this.toneHz = options.toneHz;
    this.#voice = toneFrame(options.toneHz, options.toneDb ?? -22);
    this.#transports = openSimulatedTransports(network, at, {
      onMessage: (text, flow) => {
        this.#noteAnsweredBye(text);
        this.#noteCancel(text);
        this.#userAgent.receive(text, flow);
      },
    });
    const token = () =>
      Math.floor(random() * 2 ** 48).toString(36) + Math.floor(random() * 2 ** 48).toString(36);
    this.#userAgent = createUserAgent({
      clock,
      send: (target, text) => this.#transports.send(target, text),
      flow: (id) => this.#transports.flowById(id),
      address: () => ({ host: address, port: at.port }),
      token,
      hash: (algorithm, text) =>
        hash(algorithm === 'MD5' ? 'md5' : 'sha256', Buffer.from(text, 'latin1'), 'hex'),
      userAgentName: 'Simulated phone',
      on: {
        request: (incoming) => {
          this.requests.push(incoming.request.method);
          incoming.reply(this.answers(incoming.request.method));
        },
        invite: (invite) => this.#invited(invite),
      },
    });
    this.#callId = token();
  }

  get address(): string {
    return this.#options.address;
  }

  /** The address of its SIP port. */
  get signalsAt(): NetworkAddress {
    const { address, port, isSecure } = this.#options;
    return { address, port: port ?? (isSecure ? simulatedTlsPort : 5060) };
  }

  /** The latest call, incoming or outgoing. */
  get call(): PhoneCall | undefined {
    return this.calls.at(-1);
  }

  get isRegistered(): boolean {
    return this.registration === 200;
  }

  /** Sends REGISTER, with 0 seconds to remove the binding; `registration` has the result. */
  register(expiresSeconds = 3600): void {
    const { domain, password } = this.#options;
    this.registration = undefined;
    this.#userAgent.request(
      {
        method: 'REGISTER',
        uri: `sip:${domain}`,
        flow: flowIdOf(this.registrar),
        from: this.#aor(),
        to: this.#aor(),
        callId: this.#callId,
        cseq: ++this.#cseq,
        contact: true,
        headers: [['Expires', String(expiresSeconds)]],
        credentials: { username: this.username, password },
      },
      (outcome) => {
        if (outcome.type === 'response') this.#cseq = outcome.cseq;
        this.registration = outcome.type === 'response' ? outcome.response.status : outcome.failure;
      },
    );
  }

  /**
   * Calls another user of the domain through the registrar's edge, or any number through a trunk, as a telephone system does; or replaces
   * another phone in its call, with the value of Replaces that names it (RFC 3891).
   */
  dial(user: string, trunk?: TrunkOfPhone, replaces?: string): PhoneCall {
    const { domain, password } = this.#options;
    const call = this.#newCall('outgoing');
    const uri = `sip:${user}@${trunk?.domain ?? domain}`;
    call.dialled((content, listener) =>
      this.#userAgent.invite(
        {
          targets: [{ uri, flow: flowIdOf(this.registrar) }],
          from: trunk === undefined ? this.#aor() : `<sip:${trunk.from}@${this.address}>`,
          to: `<${uri}>`,
          content,
          headers: [
            ...(trunk?.headers ?? []),
            ...(replaces === undefined ? [] : [['Replaces', replaces] as const]),
          ],
          credentials: { username: trunk?.username ?? this.username, password: trunk?.password ?? password },
        },
        listener,
      ),
    );
    return call;
  }

  /** Hangs up all calls. */
  hangUp(): void {
    for (const call of this.calls) if (call.end === undefined) call.hangUp();
  }

  census(): UserAgentCensus & { readonly calls: number } {
    const calls = this.#isOff ? 0 : this.calls.filter((each) => each.end === undefined).length;
    return { ...this.#userAgent.census(), calls };
  }

  /** Disconnects without any message. */
  close(): void {
    this.#isOff = true;
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    for (const call of this.calls) call.audio.close();
    this.#userAgent.close();
    void this.#transports.close();
  }

  /** For the user agent a call that it hangs up is over at once, so it does not report the answer to its BYE. */
  #noteAnsweredBye(text: string): void {
    if (!/^SIP\/2\.0 2/.test(text) || !/^CSeq: *\d+ BYE\r$/m.test(text)) return;
    const [, callId] = /^Call-ID: *(\S+)/im.exec(text) ?? [];
    this.calls.find((call) => call.callId === callId)?.byeAnswered();
  }

  #noteCancel(text: string): void {
    if (text.startsWith('CANCEL ')) this.cancelReasons.push(/^Reason: *(.*)\r$/m.exec(text)?.[1] ?? '');
  }

  #invited(invite: IncomingInvite): void {
    this.invites++;
    const behaviour = typeof this.behaviour === 'function' ? this.behaviour() : this.behaviour;
    if (behaviour.does === 'nothing') return;
    if (behaviour.does === 'reject') {
      const { status, headers } = behaviour;
      invite.reject(status, headers && { headers });
      return;
    }
    const call = this.#newCall('incoming');
    call.offered(invite);
    const ringMs = behaviour.does === 'ring' ? Number.POSITIVE_INFINITY : (behaviour.ringMs ?? 0);
    if (ringMs > 0) call.ring(invite, behaviour.does === 'answer' && behaviour.early === true);
    else call.answer(invite);
    if (ringMs === 0 || ringMs === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#options;
    clock.startTimer(clock.now() + ringMs, () => call.answer(invite));
  }

  #newCall(direction: PhoneCall['direction']): PhoneCall {
    const { clock, network, address, random, isSecure } = this.#options;
    const mediaAt = { address, port: this.#options.rtpPort?.() ?? this.#nextPort };
    this.#nextPort += 2;
    const now = () => clock.now();
    const audio = new PhoneAudio({ network, at: mediaAt, now, random, voice: this.#voice });
    const sessionId = String(Math.floor(random() * 2 ** 48));
    const keyAndSalt = () =>
      Buffer.from(Array.from({ length: 30 }, () => Math.floor(random() * 256))).toString('base64');
    const newKey = () => ({ suite: 'AES_CM_128_HMAC_SHA1_80', keyAndSalt: keyAndSalt() });
    const codecs = this.codecs();
    const options = { ...(isSecure ? { newKey } : {}), ...(codecs === undefined ? {} : { codecs }) };
    const call = new PhoneCall(direction, { audio, mediaAt, sessionId, now, ...options });
    this.calls.push(call);
    if (this.#cancelTick === undefined) this.#tickAt(clock.now() + Math.floor(random() * frameMs));
    return call;
  }

  /**
   * The phone's own frame clock: independent of all other clocks; it stops with the last call. A process that the machine has not run for a
   * while lets the frames of that time pass: sent at once, they would come too late to be played.
   */
  #tickAt(at: Instant): void {
    const { clock } = this.#options;
    this.#cancelTick = clock.startTimer(at, () => {
      this.#cancelTick = undefined;
      const late = Math.floor((clock.now() - at) / frameMs);
      const missed = late > framesSentLate ? late : 0;
      let isBusy = false;
      for (const call of this.calls) {
        if (call.end !== undefined) continue;
        isBusy = true;
        call.audio.pass(missed);
        call.audio.speak();
      }
      if (isBusy) this.#tickAt(at + (missed + 1) * frameMs);
    });
  }

  #aor(): string {
    return `<sip:${this.username}@${this.#options.domain}>`;
  }
}
