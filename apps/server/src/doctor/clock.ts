import { askByUdp } from '@jackfield/adapters/udp-questions';
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
  const [, host = server, port = '123'] = /^(.+):(\d+)$/.exec(server) ?? [];
  const request = Buffer.alloc(packetBytes);
  // Version 4, client.
  request[0] = 0x23;
  const sentAt = Date.now();
  return askByUdp({
    ...{ host, port: Number(port), request, tries: 1, answerMs },
    read(answer) {
      const receivedAt = Date.now();
      if (answer.length < packetBytes) throw new Error('the answer is no NTP packet');
      return (timeAt(answer, 32) - sentAt + (timeAt(answer, 40) - receivedAt)) / 2;
    },
  });
}

function timeAt(packet: Buffer, at: number): number {
  const seconds = packet.readUInt32BE(at) - ntpToUnix;
  return seconds * 1000 + (packet.readUInt32BE(at + 4) / 2 ** 32) * 1000;
}
