import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

export interface UdpQuestion<Answer> {
  readonly host: string;
  readonly port: number;
  readonly request: Uint8Array;
  /** How many times the request is sent, because networks may lose it. */
  readonly tries: number;
  /** From one request to the next, and from the last to the end. */
  readonly answerMs: number;
  /** Undefined for a datagram that does not belong to the question; throws for a useless answer. */
  readonly read: (datagram: Buffer) => Answer | undefined;
}

/** Asks one question over UDP, and rejects with the reason for which there is no answer. */
export function askByUdp<Answer>(question: UdpQuestion<Answer>): Promise<Answer> {
  const { host, port, request, tries, answerMs, read } = question;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  let sent = 0;
  let isOver = false;
  // The send to an unknown name may fail after the time limit has closed the socket.
  const end = (settle: () => void): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    socket.close();
    settle();
  };
  const send = (): void => {
    if (sent === tries) {
      end(() => reject(new Error(`no answer in ${(tries * answerMs) / 1000} s`)));
      return;
    }
    sent += 1;
    socket.send(request, port, host, (error) => {
      if (error !== null) end(() => reject(error));
    });
  };
  const timer = setInterval(send, answerMs);
  socket.once('error', (error) => end(() => reject(error)));
  socket.on('message', (datagram) => {
    try {
      const answer = read(datagram);
      if (answer !== undefined) end(() => resolve(answer));
    } catch (error) {
      end(() => reject(error));
    }
  });
  send();
  return promise;
}
