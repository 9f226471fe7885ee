import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnBound } from './bound-child.ts';
import { createCertificate } from './certificates.ts';
import { eachLine, Happenings } from './lines.ts';
import { freePort } from './ports.ts';

/** The authority for tests of Let's Encrypt, with a name server for which every name leads to this machine. */
export interface Pebble {
  readonly directory: string;
  /** PEM file of the authority of the directory's own certificate. */
  readonly authorityFile: string;
  readonly log: Happenings<string>;
  stop(): void;
}

/** Its certificates are valid for so long; it looks for challenges at this port in place of 80. */
export async function startPebble(options: {
  readonly validSeconds: number;
  readonly challengePort: number;
}): Promise<Pebble> {
  const own = createCertificate('DNS:localhost,IP:127.0.0.1');
  const directory = mkdtempSync(join(tmpdir(), 'pebble-'));
  const [port, management, dns, unused] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const config = join(directory, 'config.json');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: own.certFile,
    privateKey: own.keyFile,
    httpPort: options.challengePort,
    tlsPort: unused,
    certificateValidityPeriod: options.validSeconds,
  };
  writeFileSync(config, JSON.stringify({ pebble }));
  const log = new Happenings<string>();
  const names = spawnBound('pebble-challtestsrv', [
    ...['-defaultIPv4', '127.0.0.1', '-defaultIPv6', '', '-dns01', `127.0.0.1:${dns}`],
    ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-management', `127.0.0.1:${unused}`],
  ]);
  const authority = spawnBound('pebble', ['-config', config, '-dnsserver', `127.0.0.1:${dns}`], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1' },
  });
  for (const child of [names, authority])
    for (const stream of [child.stdout, child.stderr]) eachLine(stream, (line) => log.add(line));
  // It makes RSA keys of its own first.
  const isReady = (line: string) => line.includes('ACME directory available at');
  await log.until('the start of pebble', isReady, { limitMs: 120_000 });
  return {
    directory: `https://localhost:${port}/dir`,
    authorityFile: own.certFile,
    log,
    stop() {
      for (const child of [names, authority]) child.kill('SIGKILL');
      own.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
