import { rootCertificates } from 'node:tls';
import type { PlatformDeps } from '@jackfield/platform';
import type { Logger, MediaLegs, Secrets } from '@jackfield/ports';
import type { Config } from './config.ts';
import type { StartFiles } from './start-files.ts';

export interface ClusterNodeDeps {
  readonly files: Pick<StartFiles, 'nats'>;
  readonly secrets: Pick<Secrets, 'keyedHash'>;
  readonly mediaLegs: MediaLegs;
  readonly log: Logger;
  readonly onFatal: (error: Error) => void;
}

/** Another process has ended this one on their database, and has ended its calls in the records. */
export class EndedByAnotherError extends Error {
  constructor(node: string) {
    super(`another process has taken over node ${node}: nothing that this process writes is kept any more`);
    this.name = 'EndedByAnotherError';
  }
}

/** What the platform gets as one node of several; nothing where one process owns the database. */
export async function clusterNodeOf(
  { cluster, publicAddress }: Pick<Config, 'cluster' | 'publicAddress'>,
  { files, secrets, mediaLegs, log, onFatal }: ClusterNodeDeps,
): Promise<Pick<PlatformDeps, 'node' | 'joinBus' | 'linkedAudio' | 'onIncarnationEnded'>> {
  if (cluster === undefined) return {};
  const { createNatsBus } = await import('@jackfield/adapters/bus-nats');
  const { node, nats, address = publicAddress } = cluster;
  const { creds, authorities } = files.nats;
  const credentials = creds === undefined ? nats.credentials : { creds: new TextEncoder().encode(creds) };
  const bus = {
    servers: nats.servers,
    // Nodes of another key are nodes of another platform.
    cluster: secrets.keyedHash('subjects of the bus').slice(0, 16),
    log,
    ...(nats.isTls ? { tls: { ca: [...rootCertificates, ...authorities].join('\n') } } : {}),
    ...(credentials === undefined ? {} : { credentials }),
  };
  return {
    node,
    joinBus: (incarnation) => createNatsBus({ ...bus, incarnation }),
    linkedAudio: { legs: mediaLegs, address },
    onIncarnationEnded: () => onFatal(new EndedByAnotherError(node)),
  };
}
