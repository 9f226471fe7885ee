import type { Logger, Metrics } from '@jackfield/ports';
import type { PlayEffect, PlayInput } from '../domain/play.ts';
import { LineProblem } from '../sources/fair-line.ts';
import type { JointPlays } from '../sources/joint-plays.ts';
import { SoundProblem } from '../sources/sound-problem.ts';
import type { SoundSources } from '../sources/sound-sources.ts';
import type { LiveLoad, LivePlay } from './live-play.ts';

export interface PlayLoadsDeps {
  readonly sources: SoundSources;
  readonly joint: JointPlays;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly log: Logger;
  readonly send: (session: string, input: PlayInput) => void;
}

/** Loads of plays, each from its order until the play frees it. */
export interface PlayLoads {
  begin(live: LivePlay, order: Load): void;
  end(live: LivePlay, load: number): void;
  endAll(live: LivePlay): void;
}

type Load = Extract<PlayEffect, { readonly do: 'load' }>;

export function createPlayLoads(deps: PlayLoadsDeps): PlayLoads {
  function end(live: LivePlay, number: number): void {
    const load = live.loads.get(number);
    live.loads.delete(number);
    if (load?.loaded !== undefined) load.loaded.free();
    else load?.stop.abort();
  }

  return {
    begin(live, order) {
      const begun: LiveLoad = { stop: new AbortController() };
      live.loads.set(order.load, begun);
      const { account, mainAccount } = live.order;
      const accounts = [...new Set([account, mainAccount])].filter((each) => each !== undefined);
      deps.sources.load(order.item, accounts, begun.stop.signal).then(
        (loaded) => deliver(deps, live, order, begun, loaded),
        (error: unknown) => fail(deps, live, order, begun, error),
      );
    },
    end,
    endAll(live) {
      for (const number of [...live.loads.keys()]) end(live, number);
    },
  };
}

function deliver(
  { joint, send }: PlayLoadsDeps,
  live: LivePlay,
  { load, index }: Load,
  begun: LiveLoad,
  loaded: Awaited<ReturnType<SoundSources['load']>>,
): void {
  if (live.loads.get(load) !== begun) {
    if ('free' in loaded) loaded.free();
    return;
  }
  if ('document' in loaded) {
    live.loads.delete(load);
    const { document } = loaded;
    const isReported = document.warnings.length > 0 && isReportedElsewhere(joint, live, 'warnings');
    send(live.session, { type: 'item-unfolded', load, document, isReported });
    return;
  }
  begun.loaded = loaded;
  send(live.session, { type: 'item-loaded', load, sound: loaded.sound });
  loaded.whenBroken(({ code, message: sentence }) => {
    if (live.loads.get(load) !== begun) return;
    const isReported = isReportedElsewhere(joint, live, `end of item ${index}`);
    send(live.session, { type: 'item-broke-off', load, code, sentence, isReported });
  });
}

function fail(
  { joint, metrics, log, send }: PlayLoadsDeps,
  live: LivePlay,
  { load, index, item }: Load,
  begun: LiveLoad,
  error: unknown,
): void {
  if (live.loads.get(load) !== begun || error instanceof LineProblem) return;
  live.loads.delete(load);
  metrics.count('jackfield_sound_failures_total', { kind: item.kind });
  if (!(error instanceof SoundProblem)) log.error({ err: error, kind: item.kind }, 'sound failed to load');
  const { code, message: sentence } =
    error instanceof SoundProblem ? error : new SoundProblem('internal', 'the sound could not be loaded');
  const isReported = isReportedElsewhere(joint, live, `item ${index}`);
  send(live.session, { type: 'item-failed', load, code, sentence, isReported });
}

function isReportedElsewhere(joint: JointPlays, live: LivePlay, what: string): boolean {
  return live.isStopped || !joint.claim(live.order, what);
}
