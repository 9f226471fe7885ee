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
import { createLoadedClips } from './sources/loaded-clips.ts';
import { createSoundFiles, type SoundFileLimits, type SoundFiles } from './sources/sound-files.ts';
import { createSoundSources } from './sources/sound-sources.ts';

export interface SoundLimits extends SoundFileLimits {
  /** Of clips in the media engine that nobody plays. */
  readonly maxIdleClipBytes: number;
  /** Texts that the speech engine has at the same time, in all and of one account, and those that wait. */
  readonly texts: FairLineLimits;
}

const soundLimits: SoundLimits = {
  // docs/interface/documents.md#speak-and-play
  maxFileBytes: 10 << 20,
  // The media engine holds 6,250 s in all; 10 MB of MP3 at 48 kbit/s are as long as this.
  maxSeconds: 1_800,
  maxCacheBytes: 64 << 20,
  unsaidFreshMs: 2_000,
  mostFreshMs: 86_400_000,
  // 64 files of 10 MB are what memory bears; one host that is slow must not take them all.
  line: { atOnce: 64, perGroup: 16, waiting: 2_000 },
  maxIdleClipBytes: 32 << 20,
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
  /** Reads the documents that sources may lead to. */
  readonly readSoundDocument: ReadSoundDocument;
  readonly limits?: Partial<SoundLimits>;
}

/** What is alive. */
export interface SoundsCensus extends Readonly<Record<string, number>> {
  readonly plays: number;
  readonly loads: number;
  readonly fetching: number;
  readonly texts: number;
  readonly clipsUsed: number;
}

export interface SoundsFeature extends Feature, Sounds {
  census(): SoundsCensus;
  /** Clips without a play, kept in the media engine for the next one. */
  idleClips(): number;
  /** Gives up what is being loaded, drops what nobody plays and hears the media engine no more. */
  release(): void;
}

export function createSounds(deps: SoundsDeps): SoundsFeature {
  const { log, metrics, speech, media } = deps;
  const limits = { ...soundLimits, ...deps.limits };
  const owners = new Map<string, (owner: string, notice: PlayNotice) => void>();
  const byName = new Map<string, LivePlay>();
  const bySession = new Map<string, LivePlay>();
  const files = createFiles(deps, limits);
  const clips = createLoadedClips(deps.clips, limits.maxIdleClipBytes);
  const texts = createFairLine(limits.texts);
  const joint = createJointPlays();
  const sources = createSoundSources({ files, speech, texts, clips });
  let sessions = 0;
  let isClosed = false;

  const plays = defineSessions(deps, {
    playOf: (session) => bySession.get(session),
    loads: () => loads,
    remove,
    tell: ({ order }, notice) => tell(order, notice),
  });
  const loads = createPlayLoads({ sources, joint, metrics, log, send: plays.send });

  function remove(live: LivePlay): void {
    byName.delete(live.order.play);
    if (bySession.delete(live.session)) joint.end(live.order);
    loads.endAll(live);
  }

  function tell({ owner }: PlayOrder, notice: PlayNotice): void {
    if (!isClosed) owners.get(owner.kind)?.(owner.id, notice);
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
    ownedBy(kind, told) {
      if (owners.has(kind)) throw new Error(`plays of the kind '${kind}' have an owner already`);
      owners.set(kind, told);
    },
    play(order) {
      if (isClosed) throw new Error('no sound is played any more');
      if (byName.has(order.play)) throw new Error(`play ${order.play} is alive already`);
      assertItems(order);
      if (!owners.has(order.owner.kind)) throw new Error(`nobody owns plays of '${order.owner.kind}'`);
      // A name may be used again as soon as its play is over, while the former session is still on its way out.
      const session = `${order.play}#${++sessions}`;
      const live = { session, order, mix: `${mixPrefix}${session}`, loads: new Map(), isStopped: false };
      byName.set(order.play, live);
      bySession.set(session, live);
      joint.begin(order);
      plays.open(session, newPlay(order), { type: 'ordered' }).catch((err: unknown) => {
        log.error({ err, play: order.play }, 'A play could not begin.');
        remove(live);
        tell(order, { type: 'play-over', play: order.play, because: 'stopped', problems: [] });
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
      const { fetching } = files.census();
      return {
        plays: byName.size,
        loads: loading,
        fetching,
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

function createFiles(deps: SoundsDeps, limits: SoundLimits): SoundFiles {
  return createSoundFiles({
    ...deps,
    timeoutsOf: (url) => fetchTimeouts(url, deps.timeoutsOf),
    limits,
  });
}

function assertItems({ play, items }: PlayOrder): void {
  if (items.length > 1 && items.some(({ kind }) => kind === 'source')) {
    throw new Error(`play ${play} has a source beside other items`);
  }
}
