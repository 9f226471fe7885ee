import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { api } from './benches/api.ts';
import { asterisk } from './benches/asterisk.ts';
import { callbacks } from './benches/callbacks.ts';
import { calls } from './benches/calls.ts';
import { cluster } from './benches/cluster.ts';
import { console } from './benches/console.ts';
import { contention } from './benches/contention.ts';
import { delay } from './benches/delay.ts';
import { growth } from './benches/growth.ts';
import { idle } from './benches/idle.ts';
import { janus } from './benches/janus.ts';
import { kamailio } from './benches/kamailio.ts';
import { lateness } from './benches/lateness.ts';
import { machineDetection } from './benches/machine-detection.ts';
import { memory } from './benches/memory.ts';
import { mix } from './benches/mix.ts';
import { parser } from './benches/parser.ts';
import { postgres } from './benches/postgres.ts';
import { register } from './benches/register.ts';
import { speechCost } from './benches/speech-cost.ts';
import { spokenCodes } from './benches/spoken-codes.ts';
import { srtp } from './benches/srtp.ts';
import { streams } from './benches/streams.ts';
import { verify } from './benches/verify.ts';
import { webrtc } from './benches/webrtc.ts';
import { workers } from './benches/workers.ts';
import { type BenchResult, isMissed, tableOf, writeResult } from './report.ts';

/** `npm run bench`: runs every bench, or the named ones; `--profile <directory>` writes CPU profiles there. */
const benches = [
  api,
  register,
  callbacks,
  calls,
  verify,
  parser,
  idle,
  memory,
  mix,
  workers,
  lateness,
  delay,
  srtp,
  streams,
  machineDetection,
  webrtc,
];

/** Run only when named: kamailio, janus and asterisk take minutes and need the other server, contention needs `taskset` and the permission for real-time threads, postgres, growth and cluster PostgreSQL, cluster nats-server as well, spoken-codes and speech-cost pocketsphinx. */
const named = [
  kamailio,
  janus,
  asterisk,
  contention,
  postgres,
  growth,
  cluster,
  spokenCodes,
  speechCost,
  console,
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: 'string' }, scale: { type: 'string', default: '1' } },
});
const all = [...benches, ...named];
const unknown = positionals.filter((name) => !all.some((bench) => bench.name === name));
if (unknown.length > 0) {
  const known = all.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no bench ${unknown.join(', ')}: the benches are ${known}.\n`);
  process.exit(2);
}

const done: (BenchResult & { readonly name: string })[] = [];
const scale = Number(values.scale);
if (!(scale > 0 && scale <= 1)) {
  process.stderr.write(`--scale is ${values.scale}: a number above 0 and up to 1 is allowed.\n`);
  process.exit(2);
}
for (const bench of positionals.length === 0 ? benches : all) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
  const before = loadavg();
  const began = performance.now();
  try {
    const result = await bench.run({ profile: values.profile, scale });
    writeResult(bench.name, result, before);
    done.push({ name: bench.name, ...result });
    process.stderr.write(`${bench.name}: ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  } catch (error) {
    process.stderr.write(`${bench.name}: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  }
}
const missed = done.flatMap(({ figures }) => figures).filter(isMissed).length;
const load = loadavg()[0]!.toFixed(1);
process.stdout.write(`${tableOf(done)}\n\nBudgets missed: ${missed}. Load average at the end: ${load}.\n`);
// Do not wait for a part that did not end.
process.exit();
