import type {
  Clock,
  Egress,
  EgressTimeouts,
  Logger,
  Media,
  MediaClips,
  Metrics,
  SoundDecoder,
  Speech,
} from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import { createOwners } from '../../kernel/owners.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { fetchTimeouts } from './domain/fetch-timeouts.ts';
import type { PlayNotice } from './domain/play-order.ts';
import { LivePlays } from './plays/live-plays.ts';
import { createPlayLoads } from './plays/play-loads.ts';
import type { ReadSoundDocument, Sounds } from './public-api.ts';
import { defineSessions } from './sessions.ts';
import { createFairLine, type FairLineLimits } from './sources/fair-line.ts';
import { createJointPlays } from './sources/joint-plays.ts';
import { createLoadedClips, type LoadedClips } from './sources/loaded-clips.ts';
import { createSoundFiles, type SoundFileLimits, type SoundFiles } from './sources/sound-files.ts';
import { createSoundSources } from './sources/sound-sources.ts';

export interface SoundLimits extends SoundFileLimits {
  /** Of clips in the media engine without a play. */
  readonly maxIdleClipBytes: number;
  /** Texts that the speech engine has at the same time, in all and of one account, and waiting texts. */
  readonly texts: FairLineLimits;
}

const defaultLimits: SoundLimits = {
  // docs/interface/documents.md#speak-and-play
  maxFileBytes: 10 << 20,
  // The media engine holds 6,250 s in all; 10 MB of MP3 at 48 kbit/s are as long as this.
  maxSeconds: 1_800,
  // Of a server of 512 MB: twelve files of full size, or 64 of 2 MB.
  maxFetchingBytes: 128 << 20,
  maxCacheBytes: 16 << 20,
  unsaidFreshMs: 2_000,
  mostFreshMs: 86_400_000,
  // A slow host must not hold all fetches.
  line: { atOnce: 64, perGroup: 16, waiting: 2_000 },
  // The media engine keeps 100 MB of clips in all (`clipSamples` of packages/media/src/engine/engine-limits.ts).
  maxIdleClipBytes: 64 << 20,
  texts: { atOnce: 2, perGroup: 1, waiting: 500 },
};

export interface SoundsDeps {
  readonly runner: SessionRunner;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly egress: Egress;
  readonly decoder: SoundDecoder;
  readonly speech: Speech;
  readonly media: Media;
  readonly clips: MediaClips;
  /** Reads the `#ct rt tt` settings of a URL (docs/interface/requests.md#settings-in-a-url). */
  readonly timeoutsOf: (url: string) => EgressTimeouts;
  /** Reads the documents behind sources. */
  readonly readSoundDocument: ReadSoundDocument;
  readonly soundLimits?: Partial<SoundLimits>;
}

export interface SoundsCensus extends Readonly<Record<string, number>> {
  readonly plays: number;
  readonly loads: number;
  readonly fetching: number;
  readonly fetchingBytes: number;
  readonly texts: number;
  readonly clipsUsed: number;
}

export interface SoundsFeature extends Feature, Sounds {
  census(): SoundsCensus;
  /** Aborts all loads, drops idle clips and unsubscribes from the media engine. */
  release(): void;
}

/** Files and texts that are played to legs. */
export function createSounds(deps: SoundsDeps): SoundsFeature {
  const { log, metrics, speech, media } = deps;
  const limits = { ...defaultLimits, ...deps.soundLimits };
  const owners = createOwners<PlayNotice>();
  const clips = createLoadedClips(deps.clips, limits.maxIdleClipBytes, (err) => {
    metrics.count('jackfield_sound_failures_total', { kind: 'speech' });
    log.warn({ err }, 'speech broke off: its listeners heard the part before');
  });
  const files = createFiles(deps, limits, clips);
  const texts = createFairLine({ ...limits.texts, ...speech.concurrent, ...deps.soundLimits?.texts });
  const joint = createJointPlays();
  const sources = createSoundSources({ files, speech, texts, clips });
  const live = new LivePlays({
    owners,
    joint,
    log,
    sessionsOf: (parts) => defineSessions(deps, parts),
    loadsOf: (send) => createPlayLoads({ sources, joint, metrics, log, send }),
  });
  const unsubscribe = media.subscribe((notice) => live.noticed(notice));

  return {
    name: 'sounds',
    ownedBy: owners.ownedBy,
    play: (order) => live.play(order),
    stop: (play) => live.stop(play),
    census() {
      const { working, waiting } = texts.census();
      const { fetching, fetchingBytes } = files.census();
      const clipsUsed = clips.census().used;
      return { ...live.census(), fetching, fetchingBytes, texts: working + waiting, clipsUsed };
    },
    release() {
      unsubscribe();
      live.close();
      clips.clear();
    },
  };
}

function createFiles(deps: SoundsDeps, limits: SoundLimits, clips: LoadedClips): SoundFiles {
  return createSoundFiles({
    ...deps,
    timeoutsOf: (url) => fetchTimeouts(url, deps.timeoutsOf),
    isLoaded: clips.has,
    limits,
  });
}
