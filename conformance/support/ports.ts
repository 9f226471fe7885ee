import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Ports for phones, servers and media of one process of tests. Test files run side by side, each as a process of its own: a process has a
 * share that no other one uses, not even for a moment to see whether a port is free. All lie below the ports that the kernel assigns,
 * because such a port may be taken again before a phone binds it, and above 10,080, the last port that `fetch` refuses (Fetch Standard, bad ports).
 */
const all = { first: 10_100, last: 32_767 };
/** More than the processes that run at once; one more waits until another has ended. */
const shares = 16;
/** A process listens on one of these ports, one for each share, as long as it runs. */
const firstClaim = 9_900;
const shareSize = Math.floor((all.last - all.first + 1) / shares);
const share = all.first + shareSize * (await claimShare());

async function claimShare(): Promise<number> {
  for (;;) {
    for (let claimed = 0; claimed < shares; claimed++) {
      const claim = createServer();
      if (await listens(claim, firstClaim + claimed)) {
        claim.unref();
        return claimed;
      }
    }
    await wait(200);
  }
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

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
const sippMedia = { ...part(20, 40), each: 4, given: 0 };
const servers = { ...part(85, 100), each: 2, given: 0 };
const rtp = [part(40, 55), part(55, 70), part(70, 85)] as const;
let rtpRangesGiven = 0;

/** A port without a listener, neither TCP nor UDP. The next port stays free as well. */
export function freePort(): Promise<number> {
  return next(phones);
}

/** A port without a listener for a server that starts again at the same port. */
export function freeServerPort(): Promise<number> {
  return next(servers);
}

/** Where sipp sends captures of audio from; of video from the port two above. */
export function freeSippMediaPort(): Promise<number> {
  return next(sippMedia);
}

/** The media of one platform, 212 ports: tests spray all of them. A file has three platforms at once at most. */
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
  if (!(await listens(server, port))) return false;
  const socket = createSocket('udp4');
  const binds = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind(port, '127.0.0.1', () => resolve(true));
  });
  socket.close();
  await new Promise((resolve) => server.close(resolve));
  return binds;
}
