import { randomBytes, randomUUID } from 'node:crypto';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createLogger } from '@jackfield/adapters/logger';
import { createNameLookup } from '@jackfield/adapters/name-lookup';
import type { Carrier } from '@jackfield/platform';
import { sipUriAt } from '@jackfield/ports';
import { type CarrierProbe, openCarrierProbe } from '@jackfield/signalling';
import { createTransports } from '@jackfield/sip/transport';
import type { Config } from '../config.ts';
import { createLocate } from '../locate-names.ts';
import { addressChoice } from '../public-addresses.ts';
import { readStartFiles, type StartFiles } from '../start-files.ts';
import { type Finding, fault, reasonOf, sound, unknown, warning } from './finding.ts';

const log = createLogger({ level: 'error' });

/** Five sends of an OPTIONS over UDP, the last one after 7.5 s (RFC 3261 §17.1.2.2). */
const answerMs = 8_000;

/** Whether the operator's files can be used, each read as at a start, and whether each carrier answers an OPTIONS. */
export async function examineCarriers(config: Config): Promise<readonly Finding[]> {
  let files: StartFiles;
  try {
    files = readStartFiles(config);
  } catch (error) {
    return [fault('carriers', reasonOf(error))];
  }
  const { carriers } = files.operated;
  if (config.carriersFile === undefined)
    return [
      config.sandbox
        ? sound('carriers', 'none: the sandbox has phones of its own')
        : warning(
            'carriers',
            'JACKFIELD_CARRIERS is not set, and calls to numbers end with 5020 Routing Error: name a file with your carriers',
          ),
    ];
  if (carriers.length === 0)
    return [warning('carriers', `JACKFIELD_CARRIERS: ${config.carriersFile} names no carrier; add one`)];
  let probe: CarrierProbe;
  try {
    probe = await openProbe(config, files);
  } catch (error) {
    const sentence = `none could be asked (${reasonOf(error)}): see the findings about JACKFIELD_SIP_HOST`;
    return [unknown('carriers', sentence)];
  }
  try {
    return await Promise.all(carriers.map((carrier) => examineCarrier(probe, carrier)));
  } finally {
    await probe.close();
  }
}

/** From a port of its own: that of the configuration may belong to a server that runs. */
function openProbe(config: Config, { certificate, authorities }: StartFiles): Promise<CarrierProbe> {
  const { sip, publicAddress } = config;
  const clock = createSystemClock();
  const tls = certificate && { port: 0, certificate, authorities };
  return openCarrierProbe({
    openTransports: (listener) =>
      createTransports({ ...listener, host: sip.host, port: 0, ...(tls === undefined ? {} : { tls }) }),
    locate: createLocate(config, clock, createNameLookup()),
    clock,
    log,
    secrets: { randomBytes: (count) => randomBytes(count), randomUuid: () => randomUUID() },
    addressFor: addressChoice([...(config.publicAddresses ?? []), { address: publicAddress }]),
    domain: sip.domains[0] ?? publicAddress,
  });
}

async function examineCarrier(probe: CarrierProbe, carrier: Carrier): Promise<Finding> {
  const subject = `carrier ${carrier.name}`;
  const uri = sipUriAt(carrier);
  const status = await probe.probe(uri, answerMs);
  if (status === undefined) {
    const sentence = `${uri} does not answer an OPTIONS in ${answerMs / 1000} s: check host, port and transport, the firewall, and whether the carrier knows the address of this machine`;
    // The operator has said that this carrier answers no OPTIONS.
    return carrier.probeSeconds === 0 ? unknown(subject, sentence) : fault(subject, sentence);
  }
  // packages/platform/src/features/carriers/README.md: these exclude a carrier from routing.
  if (status === 408 || status === 503) {
    const sentence = `${uri} answers with ${status} and would get no calls: ask the carrier for the reason`;
    return carrier.probeSeconds === 0 ? warning(subject, sentence) : fault(subject, sentence);
  }
  return sound(subject, `${uri} answers an OPTIONS with ${status}`);
}
