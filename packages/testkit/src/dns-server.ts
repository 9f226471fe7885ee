import { createSocket } from 'node:dgram';
import { once } from 'node:events';

interface NaptrRecord {
  readonly order: number;
  readonly preference: number;
  readonly flags: string;
  readonly service: string;
  readonly regexp: string;
  readonly replacement: string;
}

interface SrvRecord {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

/** The records of a test name server, by `TYPE name`; `broken` gets SERVFAIL, `silent` no answer. */
export type Zone = Readonly<
  Record<string, readonly (NaptrRecord | SrvRecord | string)[] | 'broken' | 'silent'>
>;

/** A name server on a port of loopback. */
export interface TestDnsServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Queries so far, as `TYPE name`. */
  readonly asked: readonly string[];
  close(): void;
}

const types: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA', 33: 'SRV', 35: 'NAPTR' };

/** Serves the zone over UDP (RFC 1035 §4) with a time to live of 60 s; other names get NXDOMAIN. */
export async function createDnsServer(zone: Zone): Promise<TestDnsServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, end } = readName(question, 12);
    const type = question.readUInt16BE(end);
    const key = `${types[type]} ${name}`;
    asked.push(key);
    const records = zone[key];
    if (records === 'silent') return;
    const found = records === undefined || records === 'broken' ? [] : records;
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    // A response, recursion available; NXDOMAIN is 3, SERVFAIL 2.
    head.writeUInt16BE(0x8180 | (records === 'broken' ? 2 : records === undefined ? 3 : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found.length, 6);
    const answers = found.map((record) => {
      const data = dataOf(record);
      const fixed = Buffer.alloc(12);
      // A pointer to the name of the query.
      fixed.writeUInt16BE(0xc00c, 0);
      fixed.writeUInt16BE(type, 2);
      fixed.writeUInt16BE(1, 4);
      fixed.writeUInt32BE(60, 6);
      fixed.writeUInt16BE(data.length, 10);
      return Buffer.concat([fixed, data]);
    });
    const whole = Buffer.concat([head, question.subarray(12, end + 4), ...answers]);
    socket.send(whole, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

function readName(message: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  for (let size = message[at]!; size > 0; size = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function dataOf(record: NaptrRecord | SrvRecord | string): Buffer {
  if (typeof record === 'string') return addressBytes(record);
  if ('target' in record) {
    const { priority, weight, port, target } = record;
    return Buffer.concat([words(priority, weight, port), nameBytes(target)]);
  }
  const { order, preference, flags, service, regexp, replacement } = record;
  const texts = [flags, service, regexp].map((text) =>
    Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]),
  );
  return Buffer.concat([words(order, preference), ...texts, nameBytes(replacement)]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.from([0]),
  ]);
}

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(left), groups(right)];
  return words(...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail);
}
