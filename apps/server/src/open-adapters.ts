import { join } from 'node:path';
import { createAddressGuard, createAudioGuard, createHttpEgress } from '@jackfield/adapters/egress-http';
import { createOpenIdProvider } from '@jackfield/adapters/identity-openid';
import { createMediaPool, type ThreadPriority } from '@jackfield/adapters/media-worker';
import { createRecorder } from '@jackfield/adapters/recorder';
import { createSoundDecoder } from '@jackfield/adapters/sound-decoder';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { createLegRecognition, type RecognitionSource } from '@jackfield/adapters/speech-recognition';
import { type createStartPhase, identityCallbackPath } from '@jackfield/platform';
import type { Clock, Logger, Metrics } from '@jackfield/ports';
import type { Config } from './config.ts';
import { countMediaLegs } from './counted-media-legs.ts';
import { openMessageGateways } from './message-gateways.ts';
import { openStorage } from './open-storage.ts';
import { openRecordingFiles } from './recording-files.ts';
import { createSandbox } from './sandbox.ts';
import { openSpeechEngine } from './speech-engine.ts';
import { explainDirectory, explained } from './start-failure.ts';

/** What the adapters of one process are opened with. */
export interface AdapterContext {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly phase: ReturnType<typeof createStartPhase>;
  readonly onFatal: (error: Error) => void;
  /** Closes a started part when the process ends, the last one first. */
  readonly atEnd: (close: () => Promise<void> | void) => void;
}

/** The adapters of one process. */
export type Adapters = Awaited<ReturnType<typeof openAdapters>>;

/** Opens the adapters in the order of dependency. */
export async function openAdapters(context: AdapterContext) {
  const { config, log, clock, phase, onFatal, atEnd } = context;
  const { secrets, database } = await phase('database', () => openStorage(config, log, onFatal));
  atEnd(() => database.close());
  const media = await phase('media', () => createMediaPool({ ...mediaOptionsOf(config, log), onFatal }));
  atEnd(() => media.closeAll());
  const counted = countMediaLegs(media);
  const directory = join(config.dataDir, 'recordings');
  const recorder = await explained(explainDirectory(config.dataDir), () =>
    createRecorder({ directory, media }),
  );
  atEnd(() => recorder.close());
  const recordings = openRecordingFiles(directory, config.recordingsStore, log);
  atEnd(() => recordings.close());
  const decoder = createSoundDecoder();
  atEnd(() => decoder.close());
  const speech = createEspeakSpeech();
  atEnd(() => speech.close());
  const recognition = openRecognition(context, media);
  const rules = { allow: config.egressAllow ?? [], privateToo: config.sandbox };
  const egress = createHttpEgress(rules);
  atEnd(() => egress.close());
  const gateways =
    config.smsFile === undefined ? undefined : openMessageGateways(config.smsFile, { clock, log });
  atEnd(() => gateways?.close());
  const shared = { clock, secrets, log, media, mediaLegs: counted.legs, clips: media, speech };
  return {
    shared,
    database,
    media,
    mediaTotals: counted.totals,
    recorder,
    recordingFiles: recordings.files,
    decoder,
    recognition,
    egress,
    // Origination URIs come from customers: the same networks are closed as for their URLs.
    mayReach: createAddressGuard(rules),
    audioMayReach: createAudioGuard(rules),
    gateways,
    identityProvider: identityProviderOf(config),
    sandbox: config.sandbox ? createSandbox({ ...shared, mediaHost: config.sip.host }) : undefined,
  };
}

/** It opens nothing before the first login, so a provider that is down delays no start. */
function identityProviderOf({ identity, publicUrl }: Config) {
  if (identity === undefined) return undefined;
  return createOpenIdProvider({ ...identity, redirectUrl: `${publicUrl}${identityCallbackPath}` });
}

/** What recognises speech, if the operator has an engine. */
function openRecognition({ config, metrics, log, atEnd }: AdapterContext, media: RecognitionSource) {
  const { speechEngine } = config;
  if (speechEngine === undefined) return undefined;
  const { languages } = speechEngine;
  const engine = openSpeechEngine(speechEngine);
  const named = languages === undefined ? {} : { languages };
  const recognition = createLegRecognition({ engine, media, metrics, log, ...named });
  atEnd(() => recognition.close());
  return recognition;
}

/** The options of the media threads. The log names the priorities that they obtained, each change, and their deaths. */
function mediaOptionsOf(config: Config, log: Logger) {
  const { sip, rtpPorts, mediaWorkers, rtpSources, mediaPriority, webrtcPort } = config;
  return {
    host: sip.host,
    ports: rtpPorts,
    workers: mediaWorkers,
    onWorkerDeath(worker: number, error: Error) {
      log.error({ worker, err: error }, 'media worker died: its calls end, and a new one starts');
    },
    ...(rtpSources === undefined ? {} : { rtpSources }),
    ...(webrtcPort === undefined || webrtcPort === 'off' ? {} : { webrtcPort }),
    onWebrtcOff(problem: string) {
      log.warn(
        { problem },
        'WebRTC is off in a media thread: browsers are refused where no other one has it',
      );
    },
    priority: mediaPriority === 'auto' ? ('best' as const) : ('normal' as const),
    onPriority(priority: ThreadPriority) {
      log.info({ priority }, 'media thread priority obtained');
    },
  };
}
