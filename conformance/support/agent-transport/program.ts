import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forOlderGlibc } from './older-glibc.ts';

/** agent-transport in a process of its own, because its binary may end it: `program.ts <address> <url of the model> <empty directory>`. */
const [listenAddr, modelUrl, directory] = process.argv.slice(2) as [string, string, string];

const { glibcVersionRuntime = '' } = (
  process.report.getReport() as { header: { glibcVersionRuntime?: string } }
).header;
const [major = 0, minor = 0] = glibcVersionRuntime.split('.').map(Number);
if (major === 2 && minor < 38) {
  const dlopen = process.dlopen.bind(process);
  process.dlopen = (module, path, ...flags) => {
    if (!path.includes('agent-transport')) return dlopen(module, path, ...flags);
    const copy = join(directory, 'agent-transport.node');
    writeFileSync(copy, forOlderGlibc(readFileSync(path)));
    return dlopen(module, copy, ...flags);
  };
}

const { AudioStreamEndpoint } = await import('agent-transport');
const { sampleRate, serve } = await import('../../../examples/voice-agents/agent-transport.ts');
const endpoint = new AudioStreamEndpoint({
  listenAddr,
  inputSampleRate: sampleRate,
  outputSampleRate: sampleRate,
  // Its way to hang up is the vendor's own address.
  autoHangup: false,
});
process.once('SIGTERM', () => endpoint.shutdown());
console.log('ready');
await serve(endpoint, modelUrl);
process.exit(0);
