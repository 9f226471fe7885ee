import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { servePart } from '../part.ts';
import type { MixRooms } from './mix.ts';
import { endProgram, startProgram } from './peer-program.ts';

export interface JanusStart {
  /** The core of all its threads; any core when left out. */
  readonly core?: number;
}

/** Debian's Janus with its AudioBridge alone: rooms of G.711 whose participants are plain RTP, without WebRTC. */
const host = '127.0.0.1';
const controlPort = 8188;
/** Below the ports of the phones and outside those of `mix`. */
const rtpPorts = '30000-39999';
const startMs = 10_000;
const directory = mkdtempSync(join(tmpdir(), 'janus-bench-'));
let child: ChildProcess | undefined;
let control: WebSocket | undefined;

servePart({
  async start({ core }: JanusStart): Promise<void> {
    const configs = writeConfigs();
    const command = ['janus', '-F', configs, '-C', join(configs, 'janus.jcfg')];
    child = startProgram(command, { core, stdio: ['ignore', 'pipe', 'pipe'] });
    control = await isUp(child);
    control.addEventListener('message', ({ data }) => heard(String(data)));
    session = (await request({ janus: 'create' })).data!.id;
  },
  async open({ legs, room, remotePort }: MixRooms): Promise<readonly number[]> {
    const ports: number[] = [];
    for (let leg = 0; leg < legs; leg++) {
      const handle = await attach();
      const bridge = 1 + Math.floor(leg / room);
      if (leg % room === 0) await ask(handle, { request: 'create', room: bridge, ...roomOfG711 });
      const rtp = { ip: host, port: remotePort, payload_type: 0 };
      const joined = await ask(handle, { request: 'join', room: bridge, codec: 'pcmu', rtp });
      ports.push(joined.rtp!.port);
    }
    return ports;
  },
  cpu: () => ({ cpuMs: cpuMsOf(child!.pid!), atMs: performance.now() }),
  async stop() {
    control?.close();
    // After SIGTERM it takes leave of its participants one by one.
    await endProgram(child, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  },
});

const roomOfG711 = { sampling_rate: 8000, allow_rtp_participants: true, record: false } as const;

interface BridgeData {
  readonly audiobridge?: string;
  readonly error?: string;
  readonly rtp?: { readonly port: number };
}

/** A message of Janus; `ack` says that the answer to a `join` follows as an event. */
interface JanusMessage {
  readonly janus: string;
  readonly transaction?: string;
  readonly data?: { readonly id: number };
  readonly plugindata?: { readonly data: BridgeData };
}

const waiting = new Map<string, (message: JanusMessage) => void>();
let session: number | undefined;
let requests = 0;

function heard(text: string): void {
  const message = JSON.parse(text) as JanusMessage;
  if (message.janus === 'ack' || message.transaction === undefined) return;
  waiting.get(message.transaction)?.(message);
  waiting.delete(message.transaction);
}

function request(order: Readonly<Record<string, unknown>>): Promise<JanusMessage> {
  const transaction = String(++requests);
  return new Promise((resolve) => {
    waiting.set(transaction, resolve);
    control!.send(JSON.stringify({ transaction, ...(session && { session_id: session }), ...order }));
  });
}

async function attach(): Promise<number> {
  return (await request({ janus: 'attach', plugin: 'janus.plugin.audiobridge' })).data!.id;
}

async function ask(handle: number, body: Readonly<Record<string, unknown>>): Promise<BridgeData> {
  const answer = await request({ janus: 'message', handle_id: handle, body });
  const data = answer.plugindata?.data;
  if (data === undefined || data.error !== undefined) {
    throw new Error(`janus refused ${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
  }
  return data;
}

/** Its control connection, once it accepts one. */
async function isUp(started: ChildProcess): Promise<WebSocket> {
  let written = '';
  const note = (text: string) => {
    // It logs for its whole run; only the start matters.
    if (written.length < 100_000) written += text;
  };
  started.stdout!.setEncoding('utf8').on('data', note);
  started.stderr!.setEncoding('utf8').on('data', note);
  for (const end = performance.now() + startMs; performance.now() < end; await wait(50)) {
    if (started.exitCode !== null) break;
    const socket = new WebSocket(`ws://${host}:${controlPort}`, 'janus-protocol');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(true));
      socket.addEventListener('error', () => resolve(false));
    });
    if (isOpen) return socket;
  }
  throw new Error(`janus did not start (${started.exitCode}): ${written}`);
}

/** Of all threads: the first number of each is nanoseconds on a core. */
function cpuMsOf(pid: number): number {
  let total = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  }
  return total;
}

function writeConfigs(): string {
  const configs = join(directory, 'configs');
  mkdirSync(configs);
  const write = (name: string, text: string) => writeFileSync(join(configs, name), text);
  const plugins = ['duktape', 'echotest', 'lua', 'nosip', 'recordplay', 'sip', 'streaming', 'textroom'];
  const others = [...plugins, 'videocall', 'videoroom', 'voicemail'].map((name) => `libjanus_${name}.so`);
  const transports = ['http', 'mqtt', 'nanomsg', 'pfunix', 'rabbitmq'].map((name) => `libjanus_${name}.so`);
  write(
    'janus.jcfg',
    `general: { configs_folder = "${configs}", interface = "${host}", debug_level = 3, session_timeout = 0 }
plugins: { disable = "${others.join(',')}" }
transports: { disable = "${transports.join(',')}" }
events: { broadcast = false }
`,
  );
  write(
    'janus.transport.websockets.jcfg',
    `general: { json = "compact", ws = true, ws_port = ${controlPort}, ws_ip = "${host}", wss = false }\n`,
  );
  write(
    'janus.plugin.audiobridge.jcfg',
    `general: { rtp_port_range = "${rtpPorts}", local_ip = "${host}", events = false }\n`,
  );
  return configs;
}
