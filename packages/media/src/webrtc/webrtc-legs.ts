import type { AgreedHandshake } from '../engine/commands.ts';
import { datagramKind } from '../ice/demultiplex.ts';
import { fragmentOf, type IceCredentials } from '../ice/ice-agent.ts';
import type { IceSource } from '../ice/ice-machine.ts';
import { readStun } from '../ice/stun-message.ts';
import { SourceTable } from './source-table.ts';
import { WebrtcLeg, type WebrtcLegDeps } from './webrtc-leg.ts';

/** One TCP connection of a browser (RFC 6544). The host gives each connection one object, by which it is known here. */
export interface IceConnection extends IceSource {
  readonly transport: 'tcp';
  /** Its leg; undefined before the first authentic check. */
  leg: WebrtcLeg | undefined;
}

/** The parts of the host that the legs need. */
export interface WebrtcLegsDeps
  extends Pick<WebrtcLegDeps, 'ciphers' | 'dtls' | 'now' | 'after' | 'secured' | 'silent' | 'silentMs'> {
  readonly sendDatagram: (bytes: Uint8Array, length: number, address: string, port: number) => void;
  readonly sendFrame: (connection: IceConnection, bytes: Uint8Array, length: number) => void;
  /** The connection of a TCP source; undefined when it is closed. */
  readonly connectionOf: (source: IceSource) => IceConnection | undefined;
  readonly closeConnection: (connection: IceConnection) => void;
  /** RTP or RTCP of a leg; false when it was dropped. */
  readonly receive: (
    leg: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    ageMs: number,
  ) => boolean;
}

/** Datagrams that were dropped before any leg had them. */
export interface WebrtcCounters {
  /** Datagrams other than STUN from an unchecked source, or of an unknown protocol. */
  strangers: number;
  /** Checks for an unknown name, without the right signature, or malformed. */
  checksRefused: number;
}

/** The legs of WebRTC of one media thread, which share one port: packets are known by their sources, sources by authentic checks. */
export class WebrtcLegs {
  readonly counters: WebrtcCounters = { strangers: 0, checksRefused: 0 };
  readonly #deps: WebrtcLegsDeps;
  readonly #legDeps: WebrtcLegDeps;
  readonly #sources = new SourceTable<WebrtcLeg>();
  /** The ports of legs in other threads; packets from these ports go to the browser. */
  readonly #relays = new SourceTable<WebrtcLeg>();
  readonly #byFragment = new Map<string, WebrtcLeg>();
  readonly #byName = new Map<string, WebrtcLeg>();
  /** By the engine's index; empty where a leg has ports of its own. */
  readonly #byIndex: (WebrtcLeg | undefined)[] = [];

  constructor(deps: WebrtcLegsDeps) {
    this.#deps = deps;
    const { ciphers, dtls, now, after, secured, silent, silentMs } = deps;
    this.#legDeps = {
      ciphers,
      dtls,
      now,
      after,
      secured,
      silent,
      silentMs,
      send: (source, bytes, length) => this.#sendTo(source, bytes, length),
      admit: (source, leg) => this.#admit(source, leg),
      forget: (source, leg) => this.#forget(source, leg),
      register: (fragment, leg) => this.#byFragment.set(fragment, leg),
      unregister: (fragment) => this.#byFragment.delete(fragment),
    };
  }

  /** Legs and checked sources over UDP, for the census; a leg that another thread has is counted. */
  get size(): { readonly legs: number; readonly sources: number } {
    return { legs: this.#byName.size, sources: this.#sources.size };
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** False when the fragment is in use. */
  open(name: string, index: number, credentials: IceCredentials): boolean {
    if (this.#byFragment.has(credentials.fragment)) return false;
    const leg = new WebrtcLeg(this.#legDeps, name, index, credentials);
    this.#byName.set(name, leg);
    this.#byIndex[index] = leg;
    return true;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  agree(name: string, agreed: AgreedHandshake): void {
    this.#byName.get(name)?.agree(agreed);
  }

  /**
   * Another media thread has the leg from now on, at this port of the same machine. Its path, its checks and its handshakes stay here;
   * its packets pass in both directions without being read, so their keys are of no use here.
   */
  relay(name: string, address: string, port: number): void {
    const leg = this.#byName.get(name);
    if (leg === undefined) return;
    this.#leaveIndex(leg);
    leg.relayedTo = { address, port };
    this.#relays.add(address, port, leg);
  }

  /** False when there is no such leg. */
  close(name: string): boolean {
    const leg = this.#byName.get(name);
    if (leg === undefined) return false;
    this.#byName.delete(name);
    this.#leaveIndex(leg);
    const { relayedTo } = leg;
    if (relayedTo !== undefined) this.#relays.remove(relayedTo.address, relayedTo.port, leg);
    leg.close();
    return true;
  }

  /** Sends RTP or RTCP to the nominated source; false when the leg has ports of its own. */
  send(index: number, bytes: Uint8Array, length: number): boolean {
    const leg = this.#byIndex[index];
    if (leg === undefined) return false;
    if (leg.target !== undefined) this.#sendTo(leg.target, bytes, length);
    return true;
  }

  /** A datagram on the shared socket. Unknown senders get no answer: a forged source could aim answers at a victim. */
  receive(bytes: Uint8Array, length: number, address: string, port: number, ageMs: number): void {
    const kind = datagramKind(bytes, length);
    if (kind === 'stun') {
      this.#check(bytes, length, { transport: 'udp', address, port });
      return;
    }
    const leg = kind === undefined ? undefined : this.#sources.find(address, port);
    if (leg === undefined) this.#receiveElsewhere(bytes, length, address, port);
    else if (kind === 'dtls') leg.receiveHandshake(bytes, length);
    else this.#receiveMedia(leg, bytes, length, address, port, ageMs);
  }

  /** A frame of RFC 4571 on a connection. */
  receiveFrame(connection: IceConnection, bytes: Uint8Array, length: number): void {
    const kind = datagramKind(bytes, length);
    const { leg } = connection;
    if (kind === 'stun') this.#check(bytes, length, connection);
    else if (leg === undefined || kind === undefined) this.counters.strangers++;
    else if (kind === 'dtls') leg.receiveHandshake(bytes, length);
    else this.#receiveMedia(leg, bytes, length, connection.address, connection.port, 0);
  }

  connectionLost(connection: IceConnection): void {
    connection.leg?.connectionLost(connection);
    connection.leg = undefined;
  }

  #receiveMedia(
    leg: WebrtcLeg,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    ageMs: number,
  ): void {
    // A packet before its keys cannot be distinguished from a forged one.
    if (!leg.isSecured) return;
    const { relayedTo } = leg;
    if (relayedTo !== undefined) this.#deps.sendDatagram(bytes, length, relayedTo.address, relayedTo.port);
    else if (this.#deps.receive(leg.index, bytes, length, address, port, ageMs)) leg.heard();
  }

  /** A datagram from elsewhere than the port: of a leg that another thread relays, or of a stranger. */
  #receiveElsewhere(bytes: Uint8Array, length: number, address: string, port: number): void {
    const leg = this.#relays.size === 0 ? undefined : this.#relays.find(address, port);
    if (leg === undefined) this.counters.strangers++;
    else if (leg.target !== undefined) this.#sendTo(leg.target, bytes, length);
  }

  /** The engine may give its index to another leg. */
  #leaveIndex(leg: WebrtcLeg): void {
    if (this.#byIndex[leg.index] === leg) this.#byIndex[leg.index] = undefined;
  }

  #check(bytes: Uint8Array, length: number, source: IceSource): void {
    const message = readStun(bytes, length);
    const fragment = message === undefined ? undefined : fragmentOf(message);
    const leg = fragment === undefined ? undefined : this.#byFragment.get(fragment);
    if (leg?.check(message!, bytes, source) !== true) this.counters.checksRefused++;
  }

  #admit(source: IceSource, leg: WebrtcLeg): void {
    if (source.transport === 'udp') this.#sources.add(source.address, source.port, leg);
    else {
      const connection = this.#deps.connectionOf(source);
      if (connection !== undefined) connection.leg = leg;
    }
  }

  #forget(source: IceSource, leg: WebrtcLeg): void {
    if (source.transport === 'udp') this.#sources.remove(source.address, source.port, leg);
    else {
      const connection = this.#deps.connectionOf(source);
      if (connection?.leg !== leg) return;
      connection.leg = undefined;
      this.#deps.closeConnection(connection);
    }
  }

  #sendTo(source: IceSource, bytes: Uint8Array, length: number): void {
    if (source.transport === 'udp') {
      this.#deps.sendDatagram(bytes, length, source.address, source.port);
      return;
    }
    const connection = this.#deps.connectionOf(source);
    if (connection !== undefined) this.#deps.sendFrame(connection, bytes, length);
  }
}
