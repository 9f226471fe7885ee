import { writeFile } from 'node:fs/promises';
import { toMulaw } from '@jackfield/stream-kit';

const frameSamples = 160;
const header = { ethernet: 14, ip: 20, udp: 8, rtp: 12 };

/** A capture of RTP (PCMU) that speaks a tone: sipp sends its packets as its own, from the port that its SDP names. */
export async function writeSpeech(path: string, toneHz: number, seconds: number): Promise<void> {
  const pieces = [fileHeader()];
  for (let frame = 0; frame < seconds * 50; frame++) pieces.push(packet(frame, toneHz));
  await writeFile(path, Buffer.concat(pieces));
}

/** https://wiki.wireshark.org/Development/LibpcapFileFormat: version 2.4, Ethernet. */
function fileHeader(): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt32LE(0xa1b2c3d4, 0);
  bytes.writeUInt16LE(2, 4);
  bytes.writeUInt16LE(4, 6);
  bytes.writeUInt32LE(65_535, 16);
  bytes.writeUInt32LE(1, 20);
  return bytes;
}

function packet(frame: number, toneHz: number): Buffer {
  const length = header.ethernet + header.ip + header.udp + header.rtp + frameSamples;
  const bytes = Buffer.alloc(16 + length);
  bytes.writeUInt32LE(Math.floor(frame / 50), 0);
  bytes.writeUInt32LE((frame % 50) * 20_000, 4);
  bytes.writeUInt32LE(length, 8);
  bytes.writeUInt32LE(length, 12);
  const ethernet = 16;
  bytes.writeUInt16BE(0x0800, ethernet + 12);
  const ip = ethernet + header.ethernet;
  bytes[ip] = 0x45;
  bytes.writeUInt16BE(length - header.ethernet, ip + 2);
  bytes[ip + 8] = 64;
  bytes[ip + 9] = 17;
  bytes.set([127, 0, 0, 1], ip + 12);
  bytes.set([127, 0, 0, 1], ip + 16);
  const udp = ip + header.ip;
  bytes.writeUInt16BE(6000, udp);
  bytes.writeUInt16BE(6000, udp + 2);
  bytes.writeUInt16BE(header.udp + header.rtp + frameSamples, udp + 4);
  const rtp = udp + header.udp;
  bytes[rtp] = 0x80;
  bytes.writeUInt16BE(frame & 0xffff, rtp + 2);
  bytes.writeUInt32BE(frame * frameSamples, rtp + 4);
  bytes.writeUInt32BE(0x4a41434b, rtp + 8);
  const samples = new Int16Array(frameSamples);
  for (let index = 0; index < frameSamples; index++) {
    samples[index] = 8000 * Math.sin((2 * Math.PI * toneHz * (frame * frameSamples + index)) / 8000);
  }
  bytes.set(toMulaw(samples), rtp + header.rtp);
  return bytes;
}
