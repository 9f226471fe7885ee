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
import { newPlay } from './domain/play.ts';
import type { PlayNotice, PlayOrder } from './domain/play-order.ts';
import { type LivePlay, mixPrefix, watchKey } from './plays/live-play.ts';
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

const soundLimits: SoundLimits = {
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
  readonly limits?: Partial<SoundLimits>;
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
  /** Clips without a play, kept in the media engine for a later play. */
  idleClips(): number;
  /** Aborts all loads, drops idle clips and unsubscribes from the media engine. */
  release(): void;
}

export function createSounds(deps: SoundsDeps): SoundsFeature {
  const { log, metrics, speech, media } = deps;
  const limits = { ...soundLimits, ...deps.limits };
  const owners = createOwners<PlayNotice>();
  const byName = new Map<string, LivePlay>();
  const bySession = new Map<string, LivePlay>();
  const clips = createLoadedClips(deps.clips, limits.maxIdleClipBytes);
  const files = createFiles(deps, limits, clips);
  const texts = createFairLine(limits.texts);
  const joint = createJointPlays();
  const sources = createSoundSources({ files, speech, texts, clips });
  let sessions = 0;
  let isClosed = false;

  const plays = defineSessions(deps, {
    playOf: (session) => bySession.get(session),
    loads: () => loads,
    remove,
    notify: ({ order }, notice) => notify(order, notice),
  });
  const loads = createPlayLoads({ sources, joint, metrics, log, send: plays.send });

  function remove(live: LivePlay): void {
    byName.delete(live.order.play);
    if (bySession.delete(live.session)) joint.end(live.order);
    loads.endAll(live);
  }

  function notify({ owner }: PlayOrder, notice: PlayNotice): void {
    if (!isClosed) owners.notify(owner, notice);
  }

  const unsubscribe = media.subscribe((notice) => {
    if (notice.type !== 'play-ended' || !notice.mix.startsWith(mixPrefix)) return;
    const session = notice.mix.slice(mixPrefix.length);
    if (!bySession.has(session)) return;
    if (notice.key === watchKey) plays.send(session, { type: 'listeners-gone' });
    else plays.send(session, { type: 'sound-ended', sound: Number(notice.key) });
  });

  return {
    name: 'sounds',
    ownedBy: owners.ownedBy,
    play(order) {
      if (isClosed) throw new Error('no sound is played any more: sounds are closed');
      if (byName.has(order.play)) throw new Error(`play ${order.play} is alive already`);
      assertItems(order);
      if (!owners.has(order.owner.kind)) {
        throw new Error(`no owner is registered for plays of the kind '${order.owner.kind}'`);
      }
      // A name may be used again as soon as its play is over, while the former session still ends.
      const session = `${order.play}#${++sessions}`;
      const live = { session, order, mix: `${mixPrefix}${session}`, loads: new Map(), isStopped: false };
      byName.set(order.play, live);
      bySession.set(session, live);
      joint.begin(order);
      plays.open(session, newPlay(order), { type: 'ordered' }).catch((err: unknown) => {
        log.error({ err, play: order.play }, 'play failed to begin');
        remove(live);
        notify(order, { type: 'play-over', play: order.play, because: 'stopped', problems: [] });
      });
    },
    stop(play) {
      const live = byName.get(play);
      if (live === undefined) return;
      live.isStopped = true;
      plays.send(live.session, { type: 'stopped' });
    },
    census() {
      const { used } = clips.census();
      const { working, waiting } = texts.census();
      let loading = 0;
      for (const live of byName.values()) loading += live.loads.size;
      const { fetching, fetchingBytes } = files.census();
      return {
        plays: byName.size,
        loads: loading,
        fetching,
        fetchingBytes,
        texts: working + waiting,
        clipsUsed: used,
      };
    },
    idleClips: () => clips.census().idle,
    release() {
      isClosed = true;
      unsubscribe();
      for (const live of [...byName.values()]) remove(live);
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

function assertItems({ play, items }: PlayOrder): void {
  if (items.length > 1 && items.some(({ kind }) => kind === 'source')) {
    throw new Error(`play ${play} has a source beside other items`);
  }
}
