import type { DtlsEndpoint } from '../dtls/dtls-session.ts';
import type { AgreedKeys } from '../engine/commands.ts';
import type { SrtpCiphers } from '../rtp/srtp-suite.ts';
import { type WebrtcCounters, WebrtcLegs } from '../webrtc/webrtc-legs.ts';
import { type IceTcp, openIceTcp } from './ice-tcp.ts';
import type { SocketCounters } from './leg-sockets.ts';
import type { OpenSharedSocket, SharedSocket } from './shared-socket.ts';

/** The port of all legs of WebRTC of one media thread, over UDP and TCP. */
export interface WebrtcPort {
  readonly port: number;
  /** SHA-256 of the thread's certificate. */
  readonly fingerprint: string;
  /** Whether browsers can connect by TCP; false when the TCP port is taken. */
  readonly takesTcp: boolean;
  readonly network: SocketCounters;
  readonly counters: Readonly<WebrtcCounters>;
  /** The legs, once the engine is there. */
  serve(engine: WebrtcEngine): WebrtcLegs;
  poll(): void;
  flush(): void;
  census(): { readonly handshakes: number; readonly connections: number };
  close(): Promise<void>;
}

/** What the port needs of the engine. */
export interface WebrtcEngine {
  readonly ciphers: SrtpCiphers;
  now(): number;
  receive(
    leg: number,
    bytes: Uint8Array,
    length: number,
    address: string,
    port: number,
    ageMs: number,
  ): boolean;
  secured(leg: string, keys: AgreedKeys): void;
  /** No path was checked for `silentMs`. */
  silent(leg: string, forMs: number): void;
  readonly silentMs: number;
}

/** The address to bind, and what the port is made of. The port closes the endpoint. */
export interface WebrtcPortOptions {
  readonly host: string;
  readonly port: number;
  readonly dtls: DtlsEndpoint;
  readonly openSocket: OpenSharedSocket;
}

/** Binds the port; rejects when its UDP port is taken. */
export async function openWebrtcPort({
  host,
  port,
  dtls,
  openSocket,
}: WebrtcPortOptions): Promise<WebrtcPort> {
  let legs: WebrtcLegs | undefined;
  const socket: SharedSocket = await openSocket({
    host,
    port,
    receive: (bytes, length, address, from, ageMs) => legs?.receive(bytes, length, address, from, ageMs),
  });
  const tcp: IceTcp | undefined = await openIceTcp({
    host,
    port: socket.port,
    receive: (connection, bytes, length) => legs?.receiveFrame(connection, bytes, length),
    lost: (connection) => legs?.connectionLost(connection),
  }).catch(() => undefined);
  return {
    port: socket.port,
    fingerprint: dtls.fingerprint,
    takesTcp: tcp !== undefined,
    network: socket.counters,
    get counters() {
      return legs?.counters ?? { strangers: 0, checksRefused: 0 };
    },
    serve(engine) {
      legs = new WebrtcLegs({
        ciphers: engine.ciphers,
        dtls,
        now: engine.now,
        after(ms, run) {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        secured: (leg, keys) => engine.secured(leg.name, keys),
        silent: (leg, forMs) => engine.silent(leg.name, forMs),
        silentMs: engine.silentMs,
        receive: engine.receive,
        sendDatagram: socket.send,
        sendFrame: (connection, bytes, length) => tcp?.send(connection, bytes, length),
        connectionOf: (source) => tcp?.find(source),
        closeConnection: (connection) => tcp?.end(connection),
      });
      return legs;
    },
    poll: socket.poll,
    flush: socket.flush,
    census: () => ({ handshakes: dtls.openCount, connections: tcp?.size ?? 0 }),
    async close() {
      socket.close();
      await tcp?.close();
      dtls.close();
    },
  };
}
