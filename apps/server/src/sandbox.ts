import { createSipEdge, trustEverybody } from '@jackfield/adapters/sip-edge';
import type {
  Clock,
  Logger,
  Media,
  MediaClips,
  MediaLegs,
  NumberRoutes,
  Secrets,
  SessionRunner,
  Speech,
} from '@jackfield/platform';
import { behaviours, sentences, startSandboxPhones, talkerClip } from '@jackfield/platform';
import { createTransports } from '@jackfield/sip/transport';

export interface SandboxDeps {
  readonly media: Media & MediaLegs & MediaClips;
  readonly speech: Speech;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Logger;
}

/** The public network's stand-in: real phones behind a SIP port of their own on loopback. */
export interface Sandbox {
  readonly numbers: NumberRoutes;
  /** Opens the phones' port and teaches the talker its sentences. */
  open(runner: SessionRunner): Promise<void>;
  census(): { readonly legs: number; readonly transactions: number };
  close(): Promise<void>;
}

const loopback = '127.0.0.1';

export function createSandbox(deps: SandboxDeps): Sandbox {
  const edge = createSipEdge({
    ...deps,
    openTransports: (listener) => createTransports({ host: loopback, port: 0, ...listener }),
    admission: trustEverybody('sandbox'),
    mediaLegs: deps.media,
    domains: [loopback],
    publicAddress: loopback,
    userAgentName: 'Jackfield sandbox phone',
  });
  return {
    numbers: {
      targetsFor: (number) =>
        behaviours.has(number) ? [{ uri: `sip:${number}@${loopback}:${edge.address().port}` }] : undefined,
    },
    async open(runner) {
      await deps.media.loadClip(talkerClip, await speakSentences(deps.speech));
      startSandboxPhones({ runner, telephony: edge.telephony, media: deps.media });
      await edge.telephony.open();
    },
    census: () => edge.census(),
    close: () => edge.close(),
  };
}

/** All sentences in one clip, with the pause of a speaker who takes a breath between them. */
async function speakSentences(speech: Speech) {
  const clips = await Promise.all(sentences.map((text) => speech.speak({ text, language: 'en-US' })));
  const sampleRate = clips[0]?.sampleRate ?? 22_050;
  const pause = Math.round(sampleRate * 0.7);
  const samples = new Int16Array(clips.reduce((sum, clip) => sum + clip.samples.length + pause, 0));
  let position = 0;
  for (const clip of clips) {
    samples.set(clip.samples, position);
    position += clip.samples.length + pause;
  }
  return { sampleRate, samples };
}
