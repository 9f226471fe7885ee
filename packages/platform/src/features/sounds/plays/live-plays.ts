import type { Logger, MediaNotice } from '@jackfield/ports';
import type { Owners } from '../../../kernel/owners.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import { newPlay, type Play, type PlayInput } from '../domain/play.ts';
import type { PlayNotice, PlayOrder } from '../domain/play-order.ts';
import type { SessionParts } from '../sessions.ts';
import type { JointPlays } from '../sources/joint-plays.ts';
import { type LivePlay, mixPrefix, watchKey } from './live-play.ts';
import type { PlayLoads } from './play-loads.ts';

export interface LivePlaysDeps {
  readonly owners: Pick<Owners<PlayNotice>, 'has' | 'notify'>;
  readonly joint: JointPlays;
  readonly log: Logger;
  readonly sessionsOf: (parts: SessionParts) => Sessions<Play, PlayInput>;
  readonly loadsOf: (send: Sessions<Play, PlayInput>['send']) => PlayLoads;
}

/** Plays by their names, and by their sessions. */
export class LivePlays {
  readonly #deps: LivePlaysDeps;
  readonly #byName = new Map<string, LivePlay>();
  readonly #bySession = new Map<string, LivePlay>();
  readonly #sessions: Sessions<Play, PlayInput>;
  readonly #loads: PlayLoads;
  #begun = 0;
  #isClosed = false;

  constructor(deps: LivePlaysDeps) {
    this.#deps = deps;
    this.#sessions = deps.sessionsOf({
      playOf: (session) => this.#bySession.get(session),
      loads: () => this.#loads,
      remove: (live) => this.#remove(live),
      notify: ({ order }, notice) => this.#notify(order, notice),
    });
    this.#loads = deps.loadsOf(this.#sessions.send);
  }

  play(order: PlayOrder): void {
    this.#assertPlayable(order);
    // A name may be used again as soon as its play is over, while the former session still ends.
    const session = `${order.play}#${++this.#begun}`;
    const live = { session, order, mix: `${mixPrefix}${session}`, loads: new Map(), isStopped: false };
    this.#byName.set(order.play, live);
    this.#bySession.set(session, live);
    this.#deps.joint.begin(order);
    this.#sessions.open(session, newPlay(order), { type: 'ordered' }).catch((err: unknown) => {
      this.#deps.log.error({ err, play: order.play }, 'play failed to begin');
      this.#remove(live);
      this.#notify(order, { type: 'play-over', play: order.play, because: 'stopped', problems: [] });
    });
  }

  stop(play: string): void {
    const live = this.#byName.get(play);
    if (live === undefined) return;
    live.isStopped = true;
    this.#sessions.send(live.session, { type: 'stopped' });
  }

  /** What the media engine reports; most is about other mixes. */
  noticed(notice: MediaNotice): void {
    if (notice.type !== 'play-ended' || !notice.mix.startsWith(mixPrefix)) return;
    const session = notice.mix.slice(mixPrefix.length);
    if (!this.#bySession.has(session)) return;
    if (notice.key === watchKey) this.#sessions.send(session, { type: 'listeners-gone' });
    else
      this.#sessions.send(session, {
        type: 'sound-ended',
        sound: Number(notice.key),
        because: notice.because,
      });
  }

  census(): { readonly plays: number; readonly loads: number } {
    let loads = 0;
    for (const live of this.#byName.values()) loads += live.loads.size;
    return { plays: this.#byName.size, loads };
  }

  /** Ends all plays without a notice, and begins no more. */
  close(): void {
    this.#isClosed = true;
    for (const live of [...this.#byName.values()]) this.#remove(live);
  }

  #assertPlayable({ play, owner, items }: PlayOrder): void {
    if (this.#isClosed) throw new Error('no sound is played any more: sounds are closed');
    if (this.#byName.has(play)) throw new Error(`play ${play} is alive already`);
    if (items.length > 1 && items.some(({ kind }) => kind === 'source')) {
      throw new Error(`play ${play} has a source beside other items`);
    }
    if (!this.#deps.owners.has(owner.kind)) {
      throw new Error(`no owner is registered for plays of the kind '${owner.kind}'`);
    }
  }

  #remove(live: LivePlay): void {
    this.#byName.delete(live.order.play);
    if (this.#bySession.delete(live.session)) this.#deps.joint.end(live.order);
    this.#loads.endAll(live);
  }

  #notify({ owner }: PlayOrder, notice: PlayNotice): void {
    if (!this.#isClosed) this.#deps.owners.notify(owner, notice);
  }
}
