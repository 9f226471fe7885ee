import { createSocket } from 'node:dgram';
import { type Finding, reasonOf, sound, unknown, warning } from './finding.ts';

const answerMs = 3_000;
/** Seconds from 1900, where NTP begins, to 1970 (RFC 5905 §6). */
const ntpToUnix = 2_208_988_800;
const packetBytes = 48;
/** Signatures and tokens carry times in seconds, and records of calls are compared with those of carriers. */
const largestOffsetMs = 1_000;

/** How far the clock of this machine is from that of an NTP server. */
export async function examineClock(server: string): Promise<Finding> {
  try {
    const offsetMs = await clockOffset(server);
    const shown = `${Math.abs(offsetMs).toFixed(0)} ms ${offsetMs < 0 ? 'ahead of' : 'behind'} ${server}`;
    return Math.abs(offsetMs) > largestOffsetMs
      ? warning('clock', `the clock is ${shown}: run a service such as chrony`)
      : sound('clock', shown);
  } catch (error) {
    return unknown('clock', `${server} did not answer (${reasonOf(error)}); --ntp names another server`);
  }
}

/** One request of SNTP (RFC 5905 §14). */
function clockOffset(server: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    let isOver = false;
    // A name that is unknown fails the send after the limit has closed the socket.
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.close();
      settle();
    };
    const timer = setTimeout(
      () => end(() => reject(new Error(`no answer in ${answerMs / 1000} s`))),
      answerMs,
    );
    socket.once('error', (error) => end(() => reject(error)));
    const request = Buffer.alloc(packetBytes);
    // Version 4, client.
    request[0] = 0x23;
    let sentAt = 0;
    socket.once('message', (answer) => {
      const receivedAt = Date.now();
      if (answer.length < packetBytes) return end(() => reject(new Error('the answer is no NTP packet')));
      const offset = (timeAt(answer, 32) - sentAt + (timeAt(answer, 40) - receivedAt)) / 2;
      end(() => resolve(offset));
    });
    const [, host = server, port = '123'] = /^(.+):(\d+)$/.exec(server) ?? [];
    sentAt = Date.now();
    socket.send(request, Number(port), host, (error) => {
      if (error !== null) end(() => reject(error));
    });
  });
}

function timeAt(packet: Buffer, at: number): number {
  const seconds = packet.readUInt32BE(at) - ntpToUnix;
  return seconds * 1000 + (packet.readUInt32BE(at + 4) / 2 ** 32) * 1000;
}
