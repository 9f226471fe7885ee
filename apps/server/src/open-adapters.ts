import { join } from 'node:path';
import { createAddressGuard, createAudioGuard, createHttpEgress } from '@jackfield/adapters/egress-http';
import { createMediaPool, type ThreadPriority } from '@jackfield/adapters/media-worker';
import { createNameLookup } from '@jackfield/adapters/name-lookup';
import { createRecorder } from '@jackfield/adapters/recorder';
import { createSoundDecoder } from '@jackfield/adapters/sound-decoder';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import type { RecognitionSource } from '@jackfield/adapters/speech-recognition';
import { type createStartPhase, identityCallbackPath } from '@jackfield/platform';
import type { Clock, Logger, Metrics, RecordingFiles, Speech, SpeechEngine } from '@jackfield/ports';
import type { Config } from './config.ts';
import { countMediaLegs } from './counted-media-legs.ts';
import { openMessageGateways } from './message-gateways.ts';
import { openStorage } from './open-storage.ts';
import { openRecordingFiles } from './recording-files.ts';
import { createSandbox } from './sandbox.ts';
import { openSpeechEngine } from './speech-engine.ts';
import { explainDirectory, explained } from './start-failure.ts';
import { openVoiceEngines } from './voice-engines.ts';

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

/** Opens the adapters in the order of dependency. What is not configured is not loaded: libraries are a large part of the start and of the memory. */
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
  const recordings = await openRecordingFiles(directory, config.recordingsStore, log);
  atEnd(() => recordings.close());
  const decoder = createSoundDecoder();
  atEnd(() => decoder.close());
  const speech = await openSpeech(context);
  const { recognition, transcription } = await openRecognition(context, media, recordings.files);
  const rules = { allow: config.egressAllow ?? [], privateToo: config.sandbox };
  const lookupName = createNameLookup();
  const egress = createHttpEgress({ ...rules, resolve: lookupName });
  atEnd(() => egress.close());
  const gateways =
    config.smsFile === undefined ? undefined : await openMessageGateways(config.smsFile, { clock, log });
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
    transcription,
    egress,
    lookupName,
    // Origination URIs come from customers: the same networks are closed as for their URLs.
    mayReach: createAddressGuard(rules),
    audioMayReach: createAudioGuard(rules),
    gateways,
    identityProvider: await identityProviderOf(config),
    sandbox: config.sandbox ? createSandbox({ ...shared, mediaHost: config.sip.host }) : undefined,
  };
}

/** It opens nothing before the first login, so a provider that is down delays no start. */
async function identityProviderOf({ identity, publicUrl }: Config) {
  if (identity === undefined) return undefined;
  const { createOpenIdProvider } = await import('@jackfield/adapters/identity-openid');
  return createOpenIdProvider({ ...identity, redirectUrl: `${publicUrl}${identityCallbackPath}` });
}

/** What speaks: tones for tests, else the embedded engine and those of the operator's file. */
async function openSpeech({ config: { speaksTones, voicesFile }, atEnd }: AdapterContext): Promise<Speech> {
  if (speaksTones) return (await import('@jackfield/adapters/speech-tones')).createToneSpeech();
  const espeak = createEspeakSpeech();
  atEnd(() => espeak.close());
  return voicesFile === undefined ? espeak : openVoiceEngines(voicesFile, espeak);
}

async function speechEngineOf({ speechEngine, speaksTones }: Config): Promise<SpeechEngine | undefined> {
  if (speaksTones) return (await import('@jackfield/adapters/speech-tones')).createToneEngine();
  return speechEngine && openSpeechEngine(speechEngine);
}

/** What recognises speech of calls and of recordings, if the operator has an engine. */
async function openRecognition(
  { config, metrics, log, atEnd }: AdapterContext,
  media: RecognitionSource,
  files: RecordingFiles,
) {
  const { speechEngine } = config;
  const engine = await speechEngineOf(config);
  if (engine === undefined) return {};
  const { createFileTranscription, createLegRecognition } = await import(
    '@jackfield/adapters/speech-recognition'
  );
  const languages = speechEngine?.languages;
  const named = languages === undefined ? {} : { languages };
  const recognition = createLegRecognition({ engine, media, metrics, log, ...named });
  atEnd(() => recognition.close());
  return { recognition, transcription: createFileTranscription({ engine, files }) };
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
