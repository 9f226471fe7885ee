import { createSocket } from 'node:dgram';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';

/**
 * Ports for phones, servers and media of one test file. Test files run side by side as processes of their own: by its position in the
 * list of files each has a share that no other file uses, not even for a moment to see whether a port is free. All lie below the
 * ports that the kernel assigns, because such a port may be taken again before a phone binds it.
 */
const files = readdirSync(join(import.meta.dirname, '..')).filter((name) => name.endsWith('.test.ts'));
const all = { first: 10_000, last: 32_767 };
// One more share for programs that are no test file.
const shareSize = Math.floor((all.last - all.first + 1) / (files.length + 1));
const place = files.sort().indexOf(basename(process.argv[1] ?? ''));
const share = all.first + shareSize * (place < 0 ? files.length : place);

interface Range {
  readonly first: number;
  readonly last: number;
}

/** This part of the share, in percent, from an even port to an odd one. */
function part(from: number, to: number): Range {
  const at = (percent: number) => share + Math.floor((shareSize * percent) / 200) * 2 + (share % 2);
  return { first: at(from), last: at(to) - 1 };
}

const phones = { ...part(0, 20), each: 2, given: 0 };
const sippMedia = { ...part(20, 30), each: 4, given: 0 };
const rtp = [part(30, 65), part(65, 100)] as const;
let rtpRangesGiven = 0;

/** A port without a listener, neither TCP nor UDP. The next port stays free as well. */
export function freePort(): Promise<number> {
  return next(phones);
}

/** Where sipp sends captures of audio from; of video from the port two above. */
export function freeSippMediaPort(): Promise<number> {
  return next(sippMedia);
}

/** The media of one platform, for 30 calls between two phones of the sandbox. A file has two platforms at once at most. */
export function rtpRange(): Range {
  return rtp[rtpRangesGiven++ % rtp.length]!;
}

async function next(ports: typeof phones): Promise<number> {
  const count = Math.floor((ports.last - ports.first + 1) / ports.each);
  for (let tried = 0; tried < count; tried++) {
    // Counted before the check: concurrent requests each get a port of their own.
    const port = ports.first + (ports.given++ % count) * ports.each;
    if ((await isFree(port)) && (await isFree(port + ports.each - 2))) return port;
  }
  throw new Error(`none of the ports ${ports.first} to ${ports.last} is free`);
}

/** Neither TCP nor UDP has it. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!listens) return false;
  const socket = createSocket('udp4');
  const binds = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind(port, '127.0.0.1', () => resolve(true));
  });
  socket.close();
  await new Promise((resolve) => server.close(resolve));
  return binds;
}
