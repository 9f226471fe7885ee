import type { ConfigResult } from '../config.ts';
import { examineCarriers } from './carriers.ts';
import { examineClock } from './clock.ts';
import { type Finding, fault, sound } from './finding.ts';
import { examineCertificate, examineDns } from './names.ts';
import { examineOwnCall } from './own-call.ts';
import { examinePorts } from './ports.ts';
import { examinePublicAddress, withSeenAddress } from './public-address.ts';
import { examineStorage } from './storage.ts';

export interface ExamineOptions {
  readonly loaded: ConfigResult;
  readonly ntp: string;
  /** Asked for the address that the Internet sees. */
  readonly stun?: string;
  /** Ports for the audio of the call to itself: those of the configuration may be in use. No call is made when absent. */
  readonly ownCallPorts?: string;
}

/** Examines everything that a server here would need, part by part. */
export async function* examine({ loaded, ntp, stun, ownCallPorts }: ExamineOptions): AsyncGenerator<Finding> {
  if (loaded.ok) {
    const { config, findings } = await withSeenAddress(loaded.config);
    yield sound('configuration', 'every variable has a value that it may have');
    yield* await examinePorts(config);
    yield* await examineCertificate(config, Date.now());
    yield* await examineDns(config);
    yield* findings;
    yield* await examinePublicAddress(config, stun);
    yield* await examineStorage(config);
    yield* await examineCarriers(config);
  } else {
    for (const { sentence } of loaded.problems) yield fault('configuration', sentence);
  }
  yield await examineClock(ntp);
  if (ownCallPorts !== undefined) yield await examineOwnCall(ownCallPorts);
}
