import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnBound } from './bound-child.ts';
import { connected } from './connected.ts';
import { Happenings } from './lines.ts';
import { freePort } from './ports.ts';

export interface BaresipOptions {
  readonly registrar: string;
  /** Its own address, 127.0.0.1 unless given. */
  readonly host?: string;
  readonly username: string;
  readonly password: string;
  /** False for an external phone: it registers nowhere and has no credentials; `registrar` is the domain of its own address. */
  readonly registers?: false;
  /** The tone that this phone speaks all the time. */
  readonly toneHz: number;
  /** A WAV file at the rate of the codec that this phone plays from the answer on, in place of the tone. */
  readonly soundFile?: string;
  readonly transport?: 'udp' | 'tcp' | 'tls';
  /** PEM file of the authority of the registrar's certificate; it must hold with TLS. */
  readonly authorityFile?: string;
  readonly codec?: keyof typeof sampleRates;
  /** SRTP with keys in SDP: offered beside RTP/AVP, or demanded with RTP/SAVP or RTP/SAVPF; none, not even by module, when left out. */
  readonly srtp?: 'srtp' | 'srtp-mand' | 'srtp-mandf';
}

const loopback = '127.0.0.1';
const stopMs = 5_000;
/** A baresip whose control port another program has runs on without it. */
const connectMs = 30_000;

/** Codecs, and their sample rates. */
const sampleRates = { pcmu: 8000, pcma: 8000, g722: 16_000, opus: 48_000 } as const;

/** What baresip reports over its control connection. */
interface BaresipEvent {
  readonly type?: string;
  readonly class?: string;
  readonly param?: string;
}

/** One headless baresip: registers, answers by itself, speaks a tone and writes down what it hears. */
export class BaresipPhone {
  readonly events = new Happenings<BaresipEvent>();
  /** Where it answers SIP. */
  readonly address: string;
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #control: Socket;

  private constructor(address: string, directory: string, child: ChildProcess, control: Socket) {
    this.address = address;
    this.#directory = directory;
    this.#child = child;
    this.#control = control;
    readNetstrings(control, (text) => this.events.add(JSON.parse(text) as BaresipEvent));
    child.once('exit', () => this.events.close('baresip has exited'));
  }

  static async start(options: BaresipOptions): Promise<BaresipPhone> {
    const directory = await mkdtemp(join(tmpdir(), 'baresip-'));
    const [sipPort, controlPort] = [await freePort(), await freePort()];
    const rate = sampleRates[options.codec ?? 'pcmu'];
    const sound = options.soundFile ?? join(directory, 'tone.wav');
    if (options.soundFile === undefined) {
      const format = ['-n', '-r', String(rate), '-c', '1', '-b', '16', sound];
      spawnSync('sox', [...format, 'synth', '120', 'sine', String(options.toneHz), 'gain', '-12']);
    }
    await writeFile(
      join(directory, 'config'),
      configuration(directory, sound, sipPort, controlPort, options),
    );
    await writeFile(join(directory, 'accounts'), '');
    await writeFile(join(directory, 'contacts'), '');
    const child = spawnBound('baresip', ['-f', directory], { stdio: ['ignore', 'ignore', 'ignore'] });
    runBeforeOthers(child.pid);
    const control = await connected(controlPort, child, connectMs).catch(async (error: unknown) => {
      child.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true });
      throw error;
    });
    const phone = new BaresipPhone(`${options.host ?? loopback}:${sipPort}`, directory, child, control);
    // By a command, so that no report comes before there is a listener.
    phone.#command('uanew', account(options));
    return phone;
  }

  registered(): Promise<BaresipEvent> {
    return this.events.until('registration', (event) => event.type === 'REGISTER_OK');
  }

  refused(): Promise<BaresipEvent> {
    return this.events.until('refusal of the registration', (event) => event.type === 'REGISTER_FAIL');
  }

  established(from = 0): Promise<BaresipEvent> {
    return this.events.until('an established call', (event) => event.type === 'CALL_ESTABLISHED', { from });
  }

  closed(from = 0): Promise<BaresipEvent> {
    return this.events.until('the end of the call', (event) => event.type === 'CALL_CLOSED', { from });
  }

  dial(uri: string): void {
    this.#command('dial', uri);
  }

  /** Re-INVITE with the direction sendonly, and back. */
  hold(): void {
    this.#command('hold', '');
  }

  resume(): void {
    this.#command('resume', '');
  }

  /** Requests that its other party be connected with a third. */
  transfer(uri: string): void {
    this.#command('transfer', uri);
  }

  hangUp(): void {
    this.#command('hangup', '');
  }

  /** The WAV file of what it played in the last call; whole once the call is closed. */
  async heard(): Promise<string> {
    const files = (await readdir(this.#directory)).filter((name) => name.endsWith('-dec.wav')).sort();
    const last = files.at(-1);
    if (last === undefined) throw new Error('baresip heard nothing: no decoded audio was written');
    return join(this.#directory, last);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      // It says goodbye to its registrar first, which a starved machine may not answer.
      const limit = setTimeout(() => child.kill('SIGKILL'), stopMs);
      await exited;
      clearTimeout(limit);
    }
    this.#control.destroy();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #command(command: string, params: string): void {
    const text = JSON.stringify({ command, params });
    this.#control.write(`${Buffer.byteLength(text)}:${text},`);
  }
}

/** A phone is a machine of its own, whose audio waits for no test that runs beside it. Users other than root may not raise a priority. */
function runBeforeOthers(pid: number | undefined): void {
  if (pid === undefined || process.getuid?.() !== 0) return;
  setPriority(pid, constants.priority.PRIORITY_HIGH);
}

function configuration(
  directory: string,
  sound: string,
  sipPort: number,
  controlPort: number,
  { host = loopback, authorityFile, codec = 'pcmu', srtp }: BaresipOptions,
): string {
  const rate = sampleRates[codec];
  return [
    ...(authorityFile === undefined ? [] : [`sip_cafile ${authorityFile}`]),
    'poll_method epoll',
    `sip_listen ${host}:${sipPort}`,
    `audio_player aubridge,ear-${sipPort}`,
    `audio_source aufile,${sound}`,
    `audio_alert aubridge,bell-${sipPort}`,
    `ausrc_srate ${rate}`,
    `auplay_srate ${rate}`,
    'opus_stereo no',
    'opus_sprop_stereo no',
    'ausrc_channels 1',
    'auplay_channels 1',
    'rtp_ports 27000-28999',
    `snd_path ${directory}`,
    'module_path /usr/lib/baresip/modules',
    ...(srtp === undefined ? [] : ['module srtp.so']),
    ...['g711', 'g722', 'opus', 'aufile', 'aubridge', 'sndfile'].map((name) => `module ${name}.so`),
    ...['menu', 'account', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
    `ctrl_tcp_listen 127.0.0.1:${controlPort}`,
    '',
  ].join('\n');
}

function account({
  username,
  password,
  registrar,
  transport = 'udp',
  codec = 'pcmu',
  srtp,
  registers,
}: BaresipOptions): string {
  const parameters = [
    ...(registers === false ? ['regint=0'] : [`auth_user=${username}`, `auth_pass=${password}`, 'regint=60']),
    'answermode=auto',
    `audio_codecs=${codec}/${sampleRates[codec]}/1`,
    ...(srtp === undefined ? [] : [`mediaenc=${srtp}`]),
  ];
  return `<sip:${username}@${registrar};transport=${transport}>;${parameters.join(';')}`;
}

/** Its control connection speaks netstrings: `<length>:<text>,`. */
function readNetstrings(socket: Socket, take: (text: string) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const colon = rest.indexOf(0x3a);
      if (colon === -1) return;
      const end = colon + 1 + Number(rest.subarray(0, colon).toString());
      if (rest.length <= end) return;
      take(rest.subarray(colon + 1, end).toString());
      rest = rest.subarray(end + 1);
    }
  });
}
