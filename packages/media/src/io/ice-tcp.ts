import { createServer, type Server, type Socket } from 'node:net';
import type { IceSource } from '../ice/ice-machine.ts';
import type { IceConnection } from '../webrtc/webrtc-legs.ts';

/** Connections of browsers whose UDP is blocked: RFC 6544, we are passive; frames of RFC 4571. */
export interface IceTcp {
  /** The connection of a source; undefined when it is closed. */
  find(source: IceSource): IceConnection | undefined;
  /** Sends one frame, or drops it when the connection is behind by more than `mostBehindBytes`. */
  send(connection: IceConnection, bytes: Uint8Array, length: number): void;
  end(connection: IceConnection): void;
  /** Open connections. */
  readonly size: number;
  close(): Promise<void>;
}

/** The address of the listener, and the receivers. */
export interface IceTcpOptions {
  readonly host: string;
  readonly port: number;
  readonly receive: (connection: IceConnection, bytes: Uint8Array, length: number) => void;
  readonly lost: (connection: IceConnection) => void;
  readonly limits?: Partial<IceTcpLimits>;
}

/** Limits for unknown senders. */
export interface IceTcpLimits {
  /** Connections of one listener. */
  readonly connections: number;
  /** A connection without an authentic check is closed after this long, and after so many frames. */
  readonly strangerMs: number;
  readonly strangerFrames: number;
  /** Frames of one connection that a turn of the event loop reads; the rest waits in the network. 32 are 640 ms of audio. */
  readonly framesInTurn: number;
}

const usualLimits: IceTcpLimits = {
  connections: 1000,
  strangerMs: 5000,
  strangerFrames: 16,
  framesInTurn: 32,
};
/** One second of the widest audio: later audio is worthless. */
const mostBehindBytes = 65_536;
/** Longer than any packet of audio or of a handshake. */
const longestFrame = 2048;
const lengthBytes = 2;

/** Listens; rejects when the port is taken. */
export async function openIceTcp(options: IceTcpOptions): Promise<IceTcp> {
  const { host, port, receive, lost } = options;
  const limits = { ...usualLimits, ...options.limits };
  const connections = new Map<string, Connection>();
  const server = createServer({ noDelay: true }, (socket) => {
    const { remoteAddress: address, remotePort } = socket;
    if (address === undefined || remotePort === undefined) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, address, remotePort, receive, limits);
    const key = keyOf(connection);
    connections.set(key, connection);
    socket.on('close', () => {
      connections.delete(key);
      connection.ended();
      lost(connection);
    });
  });
  server.maxConnections = limits.connections;
  await listen(server, host, port);
  return {
    find(source) {
      if (source instanceof Connection) return source.isOpen ? source : undefined;
      return connections.get(keyOf(source));
    },
    send(connection, bytes, length) {
      if (connection instanceof Connection) connection.send(bytes, length);
    },
    end(connection) {
      if (connection instanceof Connection) connection.end();
    },
    get size() {
      return connections.size;
    },
    async close() {
      for (const connection of connections.values()) connection.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One connection: bytes come in any pieces, frames go out whole. */
class Connection implements IceConnection {
  readonly transport = 'tcp';
  readonly address: string;
  readonly port: number;
  leg: IceConnection['leg'] = undefined;
  isOpen = true;
  readonly #socket: Socket;
  readonly #frame = new Uint8Array(lengthBytes + longestFrame);
  readonly #deadline: NodeJS.Timeout;
  readonly #limits: IceTcpLimits;
  #filled = 0;
  #strangerFrames = 0;

  constructor(
    socket: Socket,
    address: string,
    port: number,
    receive: IceTcpOptions['receive'],
    limits: IceTcpLimits,
  ) {
    this.#socket = socket;
    this.#limits = limits;
    this.address = address;
    this.port = port;
    this.#deadline = setTimeout(() => this.end(), limits.strangerMs);
    socket.on('data', (bytes) => this.#read(bytes, receive));
    // `close` follows.
    socket.on('error', () => {});
  }

  send(bytes: Uint8Array, length: number): void {
    if (!this.isOpen || this.#socket.writableLength > mostBehindBytes) return;
    const frame = Buffer.allocUnsafe(lengthBytes + length);
    frame.writeUInt16BE(length);
    frame.set(bytes.subarray(0, length), lengthBytes);
    this.#socket.write(frame);
  }

  end(): void {
    this.#socket.destroy();
    this.ended();
  }

  ended(): void {
    this.isOpen = false;
    clearTimeout(this.#deadline);
  }

  /** The rest of a flood waits for the next turn: node:net reads up to 2 MiB in one, and every other leg would wait for its packets. */
  #read(bytes: Uint8Array, receive: IceTcpOptions['receive']): void {
    let at = 0;
    for (let frames = 0; at < bytes.length && this.isOpen && frames < this.#limits.framesInTurn; ) {
      at += this.#fill(bytes, at);
      if (this.#filled < lengthBytes) continue;
      const whole = (this.#frame[0]! << 8) | this.#frame[1]!;
      if (whole === 0 || whole > longestFrame) this.end();
      else if (this.#filled === lengthBytes + whole) {
        frames++;
        this.#filled = 0;
        receive(this, this.#frame.subarray(lengthBytes, lengthBytes + whole), whole);
        this.#judge();
      }
    }
    if (at === bytes.length || !this.isOpen) return;
    this.#socket.pause();
    this.#socket.unshift(bytes.subarray(at));
    setImmediate(() => this.#socket.resume());
  }

  /** Takes what is missing of the length, or of the frame, and returns how many bytes that were. */
  #fill(bytes: Uint8Array, at: number): number {
    const frame = this.#frame;
    const end = this.#filled < lengthBytes ? lengthBytes : lengthBytes + ((frame[0]! << 8) | frame[1]!);
    const piece = bytes.subarray(at, at + end - this.#filled);
    frame.set(piece, this.#filled);
    this.#filled += piece.length;
    return piece.length;
  }

  /** After a frame: the sender has shown that it knows a leg, or it is a stranger still. */
  #judge(): void {
    if (this.leg !== undefined) clearTimeout(this.#deadline);
    else if (++this.#strangerFrames >= this.#limits.strangerFrames) this.end();
  }
}

function keyOf({ address, port }: Pick<IceSource, 'address' | 'port'>): string {
  return `${address} ${port}`;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      server.on('error', () => {});
      resolve();
    });
  });
}
