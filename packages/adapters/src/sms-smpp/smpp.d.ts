/** The part of the library's interface that we use; the package has no types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server as NetServer, Socket } from 'node:net';

  export interface Pdu {
    readonly command: string;
    readonly command_status: number;
    readonly sequence_number: number;
    readonly [parameter: string]: unknown;
    response(parameters?: object): Pdu;
  }

  export interface Session extends EventEmitter {
    readonly socket: Socket;
    /** False when the connection accepts no more data. */
    send(pdu: Pdu): boolean;
    bind_transceiver(parameters: object, answered: (pdu: Pdu) => void): boolean;
    submit_sm(parameters: object, answered: (pdu: Pdu) => void): boolean;
    deliver_sm(parameters: object, answered?: (pdu: Pdu) => void): boolean;
    enquire_link(answered: (pdu: Pdu) => void): boolean;
    unbind(answered?: (pdu: Pdu) => void): boolean;
    close(): void;
    destroy(): void;
  }

  const smpp: {
    connect(options: object): Session;
    createServer(options: object, listener: (session: Session) => void): NetServer;
  };
  // biome-ignore lint/style/noDefaultExport: Node shows the exports of the package so
  export default smpp;
}
