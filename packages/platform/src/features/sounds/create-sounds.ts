import type {
  Clock,
  Egress,
  EgressTimeouts,
  Logger,
  Media,
  MediaClips,
  Metrics,
  MixCommand,
  SoundDecoder,
  Speech,
} from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { fetchTimeouts } from './domain/fetch-timeouts.ts';
import { newPlay, type Play, type PlayEffect, type PlayInput } from './domain/play.ts';
import { playMachine } from './domain/play-machine.ts';
import type { PlayNotice, PlayOrder } from './domain/play-order.ts';
import { listenerWatch } from './domain/playable-sound.ts';
import type { ReadSoundDocument, Sounds } from './public-api.ts';
import { createFairLine, type FairLineLimits, LineProblem } from './sources/fair-line.ts';
import { createJointPlays } from './sources/joint-plays.ts';
import { createLoadedClips } from './sources/loaded-clips.ts';
import { createSoundFiles, type SoundFileLimits } from './sources/sound-files.ts';
import { SoundProblem } from './sources/sound-problem.ts';
import { createSoundSources, type LoadedSound } from './sources/sound-sources.ts';

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

interface LivePlay {
  readonly session: string;
  readonly order: PlayOrder;
  readonly mix: string;
  readonly loads: Map<number, LiveLoad>;
  /** It says nothing more, also where its end is still on its way. */
  isStopped: boolean;
}

interface LiveLoad {
  readonly stop: AbortController;
  loaded?: LoadedSound;
}

/** Mixes of plays begin with it. */
const mixPrefix = 'play/';
/** Beside the numbers of sounds. */
const watchKey = 'listeners';

export function createSounds(deps: SoundsDeps): SoundsFeature {
  const { runner, clock, log, metrics, egress, decoder, speech, media, timeoutsOf, readSoundDocument } = deps;
  const limits = { ...soundLimits, ...deps.limits };
  const owners = new Map<string, (owner: string, notice: PlayNotice) => void>();
  const byName = new Map<string, LivePlay>();
  const bySession = new Map<string, LivePlay>();
  const files = createSoundFiles({
    egress,
    decoder,
    clock,
    metrics,
    timeoutsOf: (url) => fetchTimeouts(url, timeoutsOf),
    readSoundDocument,
    limits,
  });
  const clips = createLoadedClips(deps.clips, limits.maxIdleClipBytes);
  const texts = createFairLine(limits.texts);
  const joint = createJointPlays();
  const sources = createSoundSources({ files, speech, texts, clips });
  let sessions = 0;
  let isClosed = false;

  const plays = runner.define<Play, PlayInput, PlayEffect>({
    name: 'play',
    machine: playMachine,
    isEnded: (play) => play.phase === 'over',
    perform(session, effect) {
      const live = bySession.get(session);
      if (live !== undefined) perform(live, effect);
    },
  });

  function perform(live: LivePlay, effect: PlayEffect) {
    const { mix, order } = live;
    switch (effect.do) {
      case 'open-mix':
      case 'close-mix':
        return media.send({ do: effect.do, mix });
      case 'watch-listeners':
        return media.send({
          do: 'play',
          mix,
          key: watchKey,
          to: order.to,
          sound: listenerWatch,
          loop: true,
        });
      case 'load':
        return load(live, effect);
      case 'unload':
        return unload(live, effect.load);
      case 'sound':
        return media.send(soundCommand(live, effect));
      case 'stop-sound':
        return media.send({ do: 'stop-play', mix, key: `${effect.number}` });
      case 'tell':
        if (effect.notice.type === 'play-over') remove(live);
        tell(order, effect.notice);
    }
  }

  function load(
    live: LivePlay,
    { load: number, index, item }: Extract<PlayEffect, { readonly do: 'load' }>,
  ): void {
    const begun: LiveLoad = { stop: new AbortController() };
    live.loads.set(number, begun);
    const group = live.order.account ?? '';
    sources.load(item, group, begun.stop.signal).then(
      (loaded) => {
        if (live.loads.get(number) !== begun) {
          if ('free' in loaded) loaded.free();
          return;
        }
        if ('document' in loaded) {
          live.loads.delete(number);
          const { document } = loaded;
          const isTold = document.remarks.length > 0 && isToldElsewhere(live, 'remarks');
          plays.send(live.session, { type: 'item-unfolded', load: number, document, isTold });
          return;
        }
        begun.loaded = loaded;
        plays.send(live.session, { type: 'item-loaded', load: number, playable: loaded.playable });
      },
      (error: unknown) => {
        if (live.loads.get(number) !== begun || error instanceof LineProblem) return;
        live.loads.delete(number);
        metrics.count('jackfield_sound_failures_total', { kind: item.kind });
        if (!(error instanceof SoundProblem)) log.error({ err: error }, 'A sound could not be loaded.');
        const sentence = error instanceof SoundProblem ? error.message : 'the sound could not be loaded';
        const isTold = isToldElsewhere(live, `item ${index}`);
        plays.send(live.session, { type: 'item-failed', load: number, sentence, isTold });
      },
    );
  }

  function isToldElsewhere(live: LivePlay, what: string): boolean {
    return live.isStopped || !joint.claim(live.order, what);
  }

  function unload(live: LivePlay, number: number): void {
    const load = live.loads.get(number);
    live.loads.delete(number);
    if (load?.loaded !== undefined) load.loaded.free();
    else load?.stop.abort();
  }

  function remove(live: LivePlay): void {
    byName.delete(live.order.play);
    if (bySession.delete(live.session)) joint.end(live.order);
    for (const number of [...live.loads.keys()]) unload(live, number);
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
      if (order.items.length > 1 && order.items.some(({ kind }) => kind === 'source')) {
        throw new Error(`play ${order.play} has a source beside other items`);
      }
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
      let loads = 0;
      for (const live of byName.values()) loads += live.loads.size;
      const { fetching } = files.census();
      return {
        plays: byName.size,
        loads,
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

function soundCommand({ mix, order }: LivePlay, effect: PlayEffect & { do: 'sound' }): MixCommand {
  const { number, sound, loop } = effect;
  const command: MixCommand = { do: 'play', mix, key: `${number}`, to: order.to, sound, loop };
  return order.alone === undefined ? command : { ...command, alone: order.alone };
}
