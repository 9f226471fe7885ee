#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkServer } from './check/check-server.ts';
import { readWav } from './check/read-wav.ts';

const usage = `stream-check calls a server of audio streams in all courses of a call, and prints which rules it keeps.

stream-check <ws or wss URL> [options]
  --auth-token <token>   signs the upgrade like the platform
  --signed               the server must refuse unsigned upgrades
  --mulaw                audio/x-mulaw instead of audio/x-l16
  --rate <Hz>            8000 (default), 16000 or 24000
  --wav <file>           the caller's speech: mono, 16 bit, at the rate
  --seconds <number>     duration of each part without a file; default 3
  --extra-headers <text> the stream's extra headers
  --help                 this text
`;

const { positionals, values } = readArguments();
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const [url] = positionals;
const sampleRate = Number(values.rate);
if (url === undefined || !(sampleRate === 8000 || sampleRate === 16_000 || sampleRate === 24_000)) {
  process.stderr.write(usage);
  process.exit(2);
}
const findings = await checkServer({
  url,
  sampleRate,
  encoding: values.mulaw ? 'audio/x-mulaw' : 'audio/x-l16',
  expectsSignatures: values.signed,
  seconds: Number(values.seconds),
  ...(values['auth-token'] === undefined ? {} : { authToken: values['auth-token'] }),
  ...(values['extra-headers'] === undefined ? {} : { extraHeaders: values['extra-headers'] }),
  ...(values.wav === undefined ? {} : { speech: readWav(readFileSync(values.wav), sampleRate) }),
  progress: (what) => process.stderr.write(`${what} …\n`),
});
for (const { rule, held, seen } of findings) {
  const word = held === undefined ? 'unseen' : held ? 'held  ' : 'BROKEN';
  process.stdout.write(`${word}  ${rule}: ${seen}\n`);
}
process.exit(findings.every(({ held }) => held !== false) ? 0 : 1);

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        'auth-token': { type: 'string' },
        signed: { type: 'boolean', default: false },
        mulaw: { type: 'boolean', default: false },
        rate: { type: 'string', default: '8000' },
        wav: { type: 'string' },
        seconds: { type: 'string', default: '3' },
        'extra-headers': { type: 'string' },
      },
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}
