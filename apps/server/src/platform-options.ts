import type { PlatformDeps } from '@jackfield/platform';
import type { NumberRoutes } from '@jackfield/ports';
import type { Config } from './config.ts';
import type { OpenGateways } from './message-gateways.ts';
import type { Adapters } from './open-adapters.ts';
import { ownAddresses } from './public-sip.ts';
import type { StartFiles } from './start-files.ts';

const dayMs = 86_400_000;

/** For ever where the operator sets no limit. */
function keptFor<Name extends string>(name: Name, days: number | undefined): { [key in Name]?: number } {
  return days === undefined ? {} : ({ [name]: days * dayMs } as { [key in Name]: number });
}

const noNumbers: NumberRoutes = { targetsFor: () => undefined };

/** What the platform gets from the configuration and its files. */
export function platformSettings(config: Config, { rates, operated, certificate }: StartFiles) {
  return {
    addresses: ownAddresses(config),
    publicUrl: config.publicUrl,
    keepCallbacksMs: config.callbackDays * dayMs,
    keepEvents: config.keptEvents,
    ...(rates === undefined ? {} : { rates }),
    ...(config.signaturePrefixes === undefined ? {} : { signaturePrefixes: config.signaturePrefixes }),
    ...keptFor('keepRecordingsMs', config.recordingDays),
    ...keptFor('keepCallsMs', config.callDays),
    ...keptFor('keepMultipartyCallsMs', config.multipartyCallDays),
    ...keptFor('keepVerifySessionsMs', config.verifyDays),
    ...(config.turnUrls === undefined || config.turnSecret === undefined
      ? {}
      : { turn: { urls: config.turnUrls, secret: config.turnSecret } }),
    carriers: operated.carriers,
    ...(config.account === undefined ? {} : { firstAccount: config.account }),
    ...(config.limits && { maxCalls: config.limits.calls }),
    trustedSources: config.limits?.trustedSources ?? [],
    proxies: config.limits?.proxies ?? [],
    metricsAccess: config.metricsAccess,
    docs: config.docs,
    hasOperatorListener: config.operator !== undefined,
    keepsCalls: config.keepSignalling,
    ...(certificate === undefined || config.tls?.isHttps !== true ? {} : { certificate }),
  };
}

/** What the platform gets from the adapters. */
export function platformAdapters(config: Config, adapters: Adapters) {
  const { shared, database, decoder, recorder, recordingFiles, egress, media, gateways, sandbox } = adapters;
  const { recognition, transcription } = adapters;
  return {
    ...shared,
    database,
    decoder,
    recorder,
    recordingFiles,
    egress,
    audioStreams: media.streams,
    mediaLoad: () => media.portLoad,
    ...(recognition === undefined ? {} : { recognition }),
    ...(transcription === undefined ? {} : { transcription }),
    numbers: sandbox?.numbers ?? noNumbers,
    ...smsOf(gateways, config),
    ...identityOf(adapters, config),
    ...(sandbox === undefined ? {} : { sandboxNetwork: sandbox.network }),
  };
}

/** Configured gateways are used, in the sandbox too. */
function smsOf(gateways: OpenGateways | undefined, { sandbox }: Config): Pick<PlatformDeps, 'sms'> {
  if (gateways !== undefined) return { sms: gateways.linked };
  return sandbox ? { sms: 'sandbox-inbox' } : {};
}

function identityOf({ identityProvider }: Adapters, { identity }: Config): Pick<PlatformDeps, 'identity'> {
  if (identityProvider === undefined || identity === undefined) return {};
  return { identity: { provider: identityProvider, groups: identity.groups } };
}
