import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Config } from '../config.ts';
import { type Finding, fault, reasonOf, sound, unknown, warning } from './finding.ts';

const answerMs = 2_000;
const tries = 3;
/** RFC 8489 §5. */
const magicCookie = 0x2112_a442;
const bindingRequest = 0x0001;
const bindingSuccess = 0x0101;
const xorMappedAddress = 0x0020;
const headerBytes = 20;

/** Networks that no phone of the Internet reaches (RFC 1918, RFC 6598, RFC 4193, loopback, link-local). */
const inner = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const)
  inner.addSubnet(network, bits);
inner.addSubnet('fc00::', 7, 'ipv6');
inner.addSubnet('fe80::', 10, 'ipv6');
inner.addAddress('::1', 'ipv6');

/** Whether phones outside can reach the address in Contact and SDP; with a STUN server, which address the Internet sees. */
export async function examinePublicAddress(
  { sandbox, publicAddress }: Config,
  stun: string | undefined,
): Promise<readonly Finding[]> {
  if (sandbox && publicAddress === '127.0.0.1')
    return [sound('public address', `${publicAddress}: the sandbox is for programs of this machine`)];
  const own = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => address),
  );
  const isInner = inner.check(publicAddress, isIP(publicAddress) === 6 ? 'ipv6' : 'ipv4');
  const findings = [
    isInner
      ? warning(
          'public address',
          `${publicAddress} is of a private network: phones elsewhere have no audio; set JACKFIELD_PUBLIC_ADDRESS`,
        )
      : own.includes(publicAddress)
        ? sound('public address', `${publicAddress} is an address of this machine`)
        : sound(
            'public address',
            `${publicAddress} is no address of this machine: NAT has to forward its ports unchanged`,
          ),
  ];
  if (stun === undefined) {
    const sentence =
      'not examined: --stun <host:port> names a server that says which address the Internet sees';
    return [...findings, unknown('NAT', sentence)];
  }
  try {
    const seen = await seenAddress(stun);
    findings.push(
      seen === publicAddress
        ? sound('NAT', `${stun} sees ${seen}, the public address`)
        : fault(
            'NAT',
            `${stun} sees ${seen}: set JACKFIELD_PUBLIC_ADDRESS=${seen}, unless another address is forwarded to this machine`,
          ),
    );
  } catch (error) {
    findings.push(
      unknown(
        'NAT',
        `${stun} did not answer a STUN request (${reasonOf(error)}): name another server with --stun, or allow UDP to it`,
      ),
    );
  }
  return findings;
}

/** Asks a STUN server over UDP (RFC 8489 §6.2.1), which may lose each request. */
function seenAddress(server: string): Promise<string> {
  const { hostname, port } = new URL(`stun://${server}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const request = Buffer.alloc(headerBytes);
  request.writeUInt16BE(bindingRequest, 0);
  request.writeUInt32BE(magicCookie, 4);
  randomBytes(12).copy(request, 8);
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
    let sent = 0;
    const send = (): void => {
      if (sent === tries) {
        end(() => reject(new Error(`no answer in ${(tries * answerMs) / 1000} s`)));
        return;
      }
      sent += 1;
      socket.send(request, port === '' ? 3478 : Number(port), host, (error) => {
        if (error !== null) end(() => reject(error));
      });
    };
    const timer = setInterval(send, answerMs);
    let isOver = false;
    // A name that is unknown fails the send after the limit has closed the socket.
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      socket.close();
      settle();
    };
    socket.once('error', (error) => end(() => reject(error)));
    socket.on('message', (answer) => {
      if (!answer.subarray(8, headerBytes).equals(request.subarray(8))) return;
      const address = mappedAddress(answer);
      end(() =>
        address === undefined ? reject(new Error('the answer names no address')) : resolve(address),
      );
    });
    send();
  });
}

/** XOR-MAPPED-ADDRESS of an IPv4 answer (RFC 8489 §14.2). */
function mappedAddress(answer: Buffer): string | undefined {
  if (answer.length < headerBytes || answer.readUInt16BE(0) !== bindingSuccess) return undefined;
  for (let at = headerBytes; at + 4 <= answer.length; ) {
    const [type, length] = [answer.readUInt16BE(at), answer.readUInt16BE(at + 2)];
    if (type === xorMappedAddress && length >= 8 && at + 12 <= answer.length && answer[at + 5] === 1) {
      const address = (answer.readUInt32BE(at + 8) ^ magicCookie) >>> 0;
      return [24, 16, 8, 0].map((bits) => (address >>> bits) & 0xff).join('.');
    }
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return undefined;
}
