import { type WebSocket, WebSocketServer } from 'ws';
import { servePart } from '../part.ts';

export interface SinkOutcome {
  /** Media frames since the last question, and those more than 20 ms behind the cadence of their stream. */
  readonly frames: number;
  readonly late: number;
  readonly latestMs: number;
}

/**
 * A server that accepts all streams and checks their cadence; with two-way streams it also plays to each, 100 ms at a
 * time.
 */
servePart({
  async start({ port }: { readonly port: number }) {
    server = new WebSocketServer({ port, host: '127.0.0.1' });
    server.on('connection', take);
    await new Promise((resolve) => server!.once('listening', resolve));
  },
  play({ playing }: { readonly playing: boolean }) {
    clearInterval(timer);
    timer = undefined;
    if (!playing) return;
    // Spread over the 100 ms, as on servers of many calls.
    let turn = 0;
    timer = setInterval(() => {
      turn = (turn + 1) % 10;
      for (let index = turn; index < sockets.length; index += 10) sockets[index]!.send(chunk);
    }, 10);
  },
  reset() {
    for (const one of cadences) one.base = Number.POSITIVE_INFINITY;
    outcome = { frames: 0, late: 0, latestMs: 0 };
  },
  outcome: () => outcome,
  stop() {
    clearInterval(timer);
    server?.close();
  },
});

interface Cadence {
  base: number;
  frames: number;
}

const samples = Buffer.alloc(1600, 0x11);
const media = { contentType: 'audio/x-l16', sampleRate: 8000, payload: samples.toString('base64') };
const chunk = JSON.stringify({ event: 'playAudio', media });
const sockets: WebSocket[] = [];
const cadences = new Set<Cadence>();
let outcome = { frames: 0, late: 0, latestMs: 0 };
let server: WebSocketServer | undefined;
let timer: NodeJS.Timeout | undefined;

function take(socket: WebSocket): void {
  const cadence: Cadence = { base: Number.POSITIVE_INFINITY, frames: 0 };
  cadences.add(cadence);
  sockets.push(socket);
  // Only the first of several tracks counts: the others arrive with it.
  let first = '';
  socket.on('message', (data: Buffer) => {
    // Media is recognised by its beginning: parsing all of it as JSON would dominate the cost.
    if (data.length < 300) return;
    const at = data.indexOf('"track":"') + 9;
    const track = data.toString('latin1', at, at + 8);
    outcome.frames++;
    first ||= track;
    if (track !== first) return;
    const behind = performance.now() - 20 * cadence.frames++ - cadence.base;
    if (behind < 0 || Number.isNaN(behind) || cadence.base === Number.POSITIVE_INFINITY) {
      cadence.base = performance.now() - 20 * (cadence.frames - 1);
      return;
    }
    if (behind > 20) outcome.late++;
    if (behind > outcome.latestMs) outcome.latestMs = behind;
  });
  socket.on('close', () => {
    cadences.delete(cadence);
    sockets.splice(sockets.indexOf(socket), 1);
  });
}
