import { connect } from 'node:net';
import { readEnvironment } from '../../read-environment.ts';
import { explainWriting } from '../../write-faults.ts';
import { apiCommand } from '../api-command.ts';
import { CommandFailure } from '../command.ts';
import { onInterruption } from '../interruption.ts';
import { portNumber, webSocketUrl, wholeNumberTo } from '../option-values.ts';
import type { Written } from '../stereo-recording.ts';

interface Flags {
  readonly output?: string;
  readonly play?: true;
  readonly seconds?: number;
  readonly at?: string;
  readonly port: number;
}

const sampleRate = 16_000;
/** docs/interface/calls.md#limits */
const longestCallSeconds = 24 * 3600;
/** The platform tries three times, a second apart. */
const connectedMs = 15_000;

export const listen = apiCommand<Flags>({
  name: 'listen',
  summary:
    'listens to a live call: plays it or writes a WAV file, what its phone says left, what it hears right',
  arguments: [{ name: 'call', summary: 'its UUID' }],
  options: [
    { flags: '--play', summary: 'plays it on this machine, by aplay, ffplay or play' },
    {
      flags: '--output <file>',
      summary: '<call>.wav when left out; - writes to standard output, for a player',
    },
    {
      flags: '--seconds <number>',
      summary: 'ends after so long; otherwise with the call, or at Ctrl-C',
      read: wholeNumberTo(longestCallSeconds),
    },
    {
      flags: '--at <url>',
      summary: 'where the server reaches this machine, such as wss://me.example.com',
      read: webSocketUrl,
    },
    {
      flags: '--port <port>',
      summary: 'the port on which this machine accepts the audio',
      read: portNumber,
      default: 0,
    },
  ],
  async run(api, [call = ''], { play, output, seconds, at, port }) {
    if (play && output !== undefined) throw new CommandFailure('--play and --output: set one of them.');
    const { serveStreams } = await import('@jackfield/stream-kit');
    const { createStereoRecording } = await import('../stereo-recording.ts');
    const { fileSink, findPlayer, playerSink } = await import('../wav-sinks.ts');
    const file = output ?? `${call}.wav`;
    const player = play ? findPlayer(readEnvironment().PATH) : undefined;
    // Refuses a wrong UUID before a port is opened.
    await api.request('GET', `Call/${encodeURIComponent(call)}/`);
    // Before the call is streamed: a file that cannot be written costs no call anything.
    const toFile = player === undefined ? fileSink(file) : undefined;
    const host = at === undefined ? await ownAddress(new URL(api.profile.url)) : '::';
    const path = `/${crypto.randomUUID()}`;
    const ended = Promise.withResolvers<string>();
    let written: Written | undefined;
    const server = await serveStreams({
      host,
      port,
      path,
      onStream(stream) {
        clearTimeout(unreached);
        process.stderr.write(`listening to ${call}; Ctrl-C ends it\n`);
        const recording = createStereoRecording(
          toFile ?? playerSink(player!),
          stream.start.mediaFormat.sampleRate,
          () => stream.stop(),
        );
        stream.on('media', (samples, { track, timestamp }) =>
          recording.add(track, Number(timestamp), samples),
        );
        stream.on('end', (reason) => {
          recording.close().then((result) => {
            written = result;
            ended.resolve(reason);
          }, ended.reject);
        });
        const stop = () => stream.stop();
        onInterruption(stop);
        if (seconds !== undefined) setTimeout(stop, seconds * 1000).unref();
      },
    }).catch((error: Error) => {
      toFile?.discard();
      throw new CommandFailure(`--port: ${error.message}.`);
    });
    const url = `${at ?? `ws://${host.includes(':') ? `[${host}]` : host}:${server.port}`}${path}`;
    const unreached = setTimeout(
      () =>
        ended.reject(
          new CommandFailure(
            `The server did not connect to ${url}: give an address that it reaches with --at, and allow it in JACKFIELD_EGRESS_ALLOW.`,
          ),
        ),
      connectedMs,
    );
    try {
      const spec = { service_url: url, audio_track: 'both', content_type: `audio/x-l16;rate=${sampleRate}` };
      await api.request('POST', `Call/${encodeURIComponent(call)}/Stream/`, spec);
      const reason = await ended.promise;
      const { seconds: length, fault } = written ?? { seconds: 0 };
      const name = file === '-' ? 'standard output' : file;
      if (fault !== undefined) {
        const why = explainWriting(fault, name) ?? (fault as Error).message;
        throw new CommandFailure(`--output: ${why}: it has the first ${length.toFixed(1)} s of the call.`);
      }
      process.stderr.write(
        `${length.toFixed(1)} s of both sides ${play ? 'played' : `in ${name}`} (${reason})\n`,
      );
    } finally {
      if (written === undefined) toFile?.discard();
      clearTimeout(unreached);
      await server.close();
    }
  },
});

/** The address of this machine on the way to the server. */
function ownAddress({ protocol, hostname, port }: URL): Promise<string> {
  const usual = protocol === 'https:' ? 443 : 80;
  return new Promise((resolve, reject) => {
    const socket = connect(port === '' ? usual : Number(port), hostname.replace(/^\[|\]$/g, ''));
    socket.once('error', ({ message }) =>
      reject(new CommandFailure(`${hostname} cannot be reached: ${message}.`)),
    );
    socket.once('connect', () => {
      resolve(socket.localAddress ?? '127.0.0.1');
      socket.destroy();
    });
  });
}
